//! Defines work that is compiled [`Once`](super::Once) a number type.

/// Defines a type that is `Once`, both functions with the same body:
/// `once! { /// Doc. Name<'a, T>(pattern: type of what goes in) -> type of what comes out { body } }`.
macro_rules! once {
    (
        $(#[$attribute:meta])*
        $visibility:vis $name:ident<$a:lifetime, $t:ident>($input:tt: $in:ty) -> $out:ty $body:block
    ) => {
        $(#[$attribute])*
        $visibility struct $name;

        impl $crate::foundation::Once for $name {
            type In<$a, $t: $crate::foundation::Real> = $in;
            type Out<$a, $t: $crate::foundation::Real> = $out;

            #[inline(never)]
            fn in_f32<$a>($input: Self::In<$a, f32>) -> Self::Out<$a, f32> $body

            #[inline(never)]
            fn in_f64<$a>($input: Self::In<$a, f64>) -> Self::Out<$a, f64> $body
        }
    };
}
pub(crate) use once;
