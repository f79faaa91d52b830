
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });
  const button = (text, act, name = "") => Object.assign(make("button", text, name), { type: "button", onclick: act });
  const holder = make("div");
  holder.innerHTML = "<svg></svg>";
  const svgNode = (tag, attributes, text = "") => {
    const node = document.createElementNS(holder.firstChild.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    return node;
  };
  const list = document.getElementById("samples");
  const samples = list.textContent.split("\n").filter(Boolean).map((line) => line.split("\t"));
  const nameOf = (j) => document.querySelector(`article[data-j="${j}"] h3`)?.textContent ?? j;

  // A picture as SVG with its own colours, so that it stands alone.
  const alone = (svg) => {
    const copy = svg.cloneNode(true);
    const from = [svg, ...all("*", svg)], to = [copy, ...all("*", copy)];
    from.forEach((node, at) => {
      const style = getComputedStyle(node);
      for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font", "paint-order"])
        to[at].style.setProperty(name, style.getPropertyValue(name));
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    return new XMLSerializer().serializeToString(copy);
  };
  const asUrl = (text) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  const loaded = (url) => new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = fail;
    image.src = url;
  });
  const canvasOf = async (url, scale) => {
    const image = await loaded(url);
    const canvas = make("canvas");
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  };
  const save = (url, name) => Object.assign(document.createElement("a"), { href: url, download: name }).click();
  const withWord = (node, word) => {
    const before = node.textContent;
    node.textContent = word;
    setTimeout(() => (node.textContent = before), 1500);
  };
  // Buttons for a picture: an image, or an SVG.
  const buttons = (picture, name) => {
    const isImage = picture.tagName === "IMG";
    const canvas = () => (isImage ? canvasOf(picture.src, Math.max(1, Math.round(512 / picture.naturalWidth))) : canvasOf(asUrl(alone(picture)), 2));
    const text = () => {
      if (!isImage) return alone(picture);
      const whole = svgNode("svg", { width: picture.naturalWidth, height: picture.naturalHeight });
      whole.append(svgNode("image", { width: "100%", height: "100%", style: "image-rendering:pixelated", href: picture.src }));
      return new XMLSerializer().serializeToString(whole);
    };
    const bar = make("div", "", "buttons");
    const copy = button("Copy as PNG", async () => {
      try {
        const blob = await new Promise(async (done) => (await canvas()).toBlob(done));
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
        withWord(copy, "Copied");
      } catch {
        withWord(copy, "The browser refuses; save it");
      }
    });
    bar.append(copy, button("Save PNG", async () => save((await canvas()).toDataURL(), name + ".png")),
      button("Save SVG", () => save(asUrl(text()), name + ".svg")));
    return bar;
  };
  // The features of a card as one SVG.
  const barsOf = (card) => {
    const rows = all(".bar", card).map((row) => [row.querySelector(".n").textContent, parseFloat(row.querySelector("i").style.width),
      row.querySelector(".v").textContent, row.classList.contains("seed")]);
    const svg = svgNode("svg", { viewBox: `0 0 460 ${rows.length * 24 + 8}` });
    rows.forEach(([name, width, value, seed], at) => {
      const y = at * 24 + 16;
      svg.append(svgNode("text", { x: 150, y: y + 4, "text-anchor": "end" }, (seed ? "● " : "") + name),
        svgNode("rect", { class: "d", x: 158, y: y - 6, width: 2.4 * width, height: 12, rx: 3 }),
        svgNode("text", { x: 166 + 2.4 * width, y: y + 4 }, value));
    });
    return svg;
  };

  const dialog = document.body.appendChild(make("dialog"));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const enlarge = (card) => {
    const j = card.dataset.j, name = nameOf(j);
    const own = samples.filter((sample) => sample[1] === j).sort((a, b) => b[2] - a[2]);
    const image = card.querySelector("img.part, img.strip");
    const picture = all(".bar", card).length > 0 ? barsOf(card) : image?.cloneNode();
    dialog.replaceChildren(make("h2", name), make("p", card.querySelector(".size").textContent, "lead"));
    if (picture) dialog.append(picture, buttons(picture, name));
    const items = make("ol");
    items.append(...own.slice(0, 300).map((sample) => make("li", `${sample[0]} (${sample[2]} %)`)));
    const most = own.length > 300 ? "The first 300 samples" : "Its samples";
    dialog.append(make("h3", `${most}, by membership`), items, button("Close", () => dialog.close()));
    dialog.showModal();
  };
  all("article[data-j]").forEach((card) => {
    card.append(button("Enlarge, list samples", () => enlarge(card), "more"));
    const part = card.querySelector("img.part");
    if (part) Object.assign(part, { onclick: () => enlarge(card) }).style.cursor = "zoom-in";
  });
  all("section svg").forEach((svg) => svg.after(buttons(svg, svg.getAttribute("aria-label") ?? "chart")));

  // A name in the legend shows its samples alone.
  all(".legend span").forEach((name) => {
    name.style.cursor = "pointer";
    name.onclick = () => {
      const shown = name.classList.toggle("only");
      all(".legend span").forEach((other) => other !== name && other.classList.remove("only"));
      all(".map g.p").forEach((group) => group.classList.toggle("dim", shown && group.dataset.j !== name.dataset.j));
    };
  });

  const find = make("div", "", "find"), box = make("input"), found = make("output");
  box.type = "search";
  const few = list.dataset.every !== "1" ? `, one in ${list.dataset.every}` : "";
  box.placeholder = `Find a sample (${samples.length.toLocaleString("en")} listed${few})`;
  box.setAttribute("aria-label", box.placeholder);
  box.oninput = () => {
    const wanted = box.value.trim().toLowerCase();
    all("circle.hit").forEach((dot) => dot.classList.remove("hit"));
    const hits = wanted ? samples.filter((sample) => sample[0].toLowerCase().includes(wanted)) : [];
    const first = hits.slice(0, 8).map((sample) => `${sample[0]}: ${nameOf(sample[1])} ${sample[2]} %`).join("; ");
    found.textContent = wanted ? (hits.length ? first + (hits.length > 8 ? `; and ${hits.length - 8} more` : "") : "none of this name") : "";
    if (wanted) all(".map circle").forEach((dot) => dot.textContent.toLowerCase().includes(wanted) && dot.classList.add("hit"));
  };
  find.append(box, found);
  document.querySelector(".tiles").after(find);
})();
