//! Defines work that is compiled [`Once`](super::Once) a number type.

/// Defines a type that is `Once`, both functions with the same body:
/// `once! { /// Doc. Name<'a, T>(pattern: type of what goes in) -> type of what comes out { body } }`.
///
/// Or a function that calls another one with the same arguments, compiled here for each number type:
/// `once! { /// Doc. pub fn name<'a, T>(argument: type) -> type = other; }`.
///
/// For the crates of this workspace; it may still change.
#[doc(hidden)]
#[macro_export]
macro_rules! once {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$a:lifetime, $t:ident>($($argument:ident: $in:ty),* $(,)?) -> $out:ty
        = $work:ident;
    ) => {
        $(#[$attribute])*
        $visibility fn $name<$a, $t: $crate::Real>($($argument: $in),*) -> $out {
            $crate::once! {
                Work<$a, $t>(($($argument,)*): ($($in,)*)) -> $out { $work($($argument),*) }
            }
            $t::once::<Work>(($($argument,)*))
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis $name:ident<$a:lifetime, $t:ident>($input:tt: $in:ty) -> $out:ty $body:block
    ) => {
        $(#[$attribute])*
        $visibility struct $name;

        impl $crate::Once for $name {
            type In<$a, $t: $crate::Real> = $in;
            type Out<$a, $t: $crate::Real> = $out;

            #[inline(never)]
            fn in_f32<$a>($input: Self::In<$a, f32>) -> Self::Out<$a, f32> $body

            #[inline(never)]
            fn in_f64<$a>($input: Self::In<$a, f64>) -> Self::Out<$a, f64> $body
        }
    };
}
pub(crate) use once;
