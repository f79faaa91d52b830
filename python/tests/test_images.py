"""Stacks of images are data as they are, and images come back as pictures."""

from __future__ import annotations

import numpy as np
import pytest

import partwise as pw
from partwise.datasets import load_digits, load_images

DIGITS = load_digits().data[:120]
STACK = DIGITS.reshape(-1, 8, 8)


def nmf(**settings):
    return pw.NMF(4, random_state=0, tol=1e-2, **settings)


def test_a_stack_of_images_is_fitted_as_rows_of_pixels():
    model, flat = nmf().fit(STACK), nmf().fit(DIGITS)
    assert model.image_shape_ == (8, 8)
    assert np.array_equal(model.components_, flat.components_)
    assert np.array_equal(model.transform(STACK[:5]), flat.transform(DIGITS[:5]))
    assert np.array_equal(model.predict(list(STACK[:5])), model.predict(DIGITS[:5]))
    assert model.inverse_transform(model.transform(STACK[:5])).shape == (5, 64)
    assert not hasattr(model.fit(DIGITS), "image_shape_")


def test_images_of_another_size_are_refused_with_both_sizes():
    model = nmf().fit(STACK)
    with pytest.raises(ValueError, match="4 x 16 pixels, but NMF was fitted to images of 8 x 8"):
        model.transform(DIGITS.reshape(-1, 4, 16))
    with pytest.raises(ValueError, match=r"image 1 \(counted from 0\) has 2 x 3 pixels, but image 0 has 8 x 8"):
        nmf().fit([STACK[0], np.ones((2, 3))])


def test_the_shape_of_images_is_saved_and_ntf_takes_it_from_the_stack(tmp_path):
    nmf().fit(STACK).save(tmp_path / "m.safetensors")
    assert pw.load(tmp_path / "m.safetensors").image_shape_ == (8, 8)
    model = pw.NTF(2, random_state=0, tol=1e-2).fit(STACK)
    assert model.image_rows_.shape == (8, 2) and model.image_columns_.shape == (8, 2)


def test_a_guided_model_takes_images_with_labels():
    y = np.where(np.arange(120) < 60, load_digits().target[:120], -1)
    model = pw.GuidedNMF(random_state=0, tol=1e-2, spread="off").fit(STACK, y)
    assert model.image_shape_ == (8, 8) and len(model.predict(STACK)) == 120


def write_pgm(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"P5 8 8 255\n" + (15 * image).astype(np.uint8).tobytes())


def test_a_folder_of_images_is_loaded_in_natural_order(tmp_path):
    for i in (10, 9, 1):
        write_pgm(tmp_path / "digits" / f"{i}.pgm", STACK[i])
    found = load_images(tmp_path / "digits")
    assert found.names == ["1", "9", "10"] and found.image_shape == (8, 8) and found.target is None
    assert np.array_equal(found.images, 15 * STACK[[1, 9, 10]])
    write_pgm(tmp_path / "digits" / "zero" / "0.pgm", STACK[0])
    assert load_images(tmp_path / "digits").target.tolist() == [None, None, None, "zero"]
    assert load_images(tmp_path / "digits" / "1.pgm").images.shape == (1, 8, 8)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    plt = matplotlib.pyplot
    yield plt
    plt.close("all")


def test_components_and_reconstructions_are_drawn_with_white_as_the_largest_value(pyplot):
    model = nmf().fit(STACK)
    axes = model.plot_components()
    assert axes[0].images[0].get_array().shape == (8, 8) and axes[0].images[0].get_cmap().name == "gray"
    assert nmf().fit(DIGITS).plot_components(shape=(8, 8), cmap="gray_r")[0].images[0].get_cmap().name == "gray_r"
    grid = model.plot_reconstruction(STACK, n=3)
    assert grid.shape == (2, 3)
    assert np.array_equal(grid[0, 0].images[0].get_array(), STACK[0])
    made = (model.transform(STACK[:1]) @ model.components_).reshape(8, 8)
    assert np.allclose(grid[1, 0].images[0].get_array(), made)
    assert nmf().fit(DIGITS).plot_reconstruction(DIGITS, n=2, shape=(8, 8)).shape == (2, 2)


def test_a_wrong_shape_is_answered_with_what_is_valid(pyplot):
    model = nmf().fit(DIGITS)
    with pytest.raises(ValueError, match=r"shape is 32, but must be \(height, width\), two whole numbers, as in shape=\(8, 8\)"):
        model.plot_components(shape=32)
    with pytest.raises(ValueError, match="63 pixels, but a component has 64"):
        model.plot_components(shape=(7, 9))
    with pytest.raises(ValueError, match="fit a stack"):
        model.plot_reconstruction(DIGITS)
