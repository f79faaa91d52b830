//! Random numbers and orders for experiments.

pub(crate) use partwise::internals::{below, generator, uniform};

/// The stream of [`shuffled`], beyond the labels of [`draw_labels`](partwise::draw_labels).
const ORDER_STREAM: u64 = 1 << 40;

/// `0..count` in an order that depends on the seed alone.
pub(crate) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut random = generator(seed, ORDER_STREAM);
    let mut order: Vec<usize> = (0..count).collect();
    for place in (1..count).rev() {
        order.swap(place, below(&mut random, place + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_every_place_once() {
        let mut order = shuffled(50, 3);
        assert_eq!(order, shuffled(50, 3));
        assert_ne!(order, shuffled(50, 4));
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
