//! [`names!`]: the spelling of an enum of choices, written once.

/// Gives an enum without fields `ALL`, `NAMES` and `name`, in the order of the list, the default first; and
/// `from_name`, if it says what such a name is called in messages. Further spellings that are accepted follow
/// the name after a bar.
macro_rules! names {
    ($(#[$attribute:meta])* $type:ident, { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every choice.
            $(#[$attribute])*
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// The names of all choices, in the same order.
            #[doc(hidden)]
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name in settings, files and on the command line.
            $(#[$attribute])*
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }
        }
    };
    (
        $(#[$attribute:meta])*
        $type:ident, $what:literal, { $($variant:ident = $name:literal $(| $other:literal)*),+ $(,)? }
    ) => {
        $crate::foundation::names! { $(#[$attribute])* $type, { $($variant = $name),+ } }

        impl $type {
            /// The choice with this name.
            ///
            /// # Errors
            /// [`Error::UnknownName`](crate::Error::UnknownName) with the valid names.
            $(#[$attribute])*
            pub fn from_name(name: &str) -> $crate::Result<Self> {
                match name {
                    $($name $(| $other)* => Ok($type::$variant),)+
                    _ => Err($crate::Error::UnknownName {
                        kind: $what.into(),
                        name: name.into(),
                        valid: Self::NAMES.iter().map(ToString::to_string).collect(),
                    }),
                }
            }
        }
    };
}
pub(crate) use names;
