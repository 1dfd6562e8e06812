//! Models of telephones.

use super::super::dice::Dice;

/// A telephone with Android.
#[derive(Clone, Debug)]
pub(super) struct Phone {
    pub(super) maker: &'static str,
    pub(super) model: String,
    pub(super) android: u32,
    pub(super) build: String,
}

/// The number of models of Android.
const MODELS: u32 = 4_000;

/// Models of Android, the most frequent first. Real logs have thousands.
pub(super) fn androids(dice: &mut Dice) -> Vec<Phone> {
    let makers = [
        (30.0, "samsung"),
        (22.0, "Xiaomi"),
        (12.0, "OPPO"),
        (10.0, "vivo"),
        (8.0, "realme"),
        (6.0, "motorola"),
        (4.0, "HUAWEI"),
        (4.0, "Google"),
        (5.0, "INFINIX"),
        (5.0, "TECNO"),
    ];
    let model = |_| {
        let maker = *dice.weighed(&makers);
        let n = dice.below(1_000);
        let letter = *dice.any(&["A", "B", "E", "F", "G", "M", "N", "U"]);
        let model = match maker {
            "samsung" => format!("SM-{}{n:03}{letter}", dice.any(&["A", "S", "M", "G", "N"])),
            "Xiaomi" => match dice.below(3) {
                0 => format!("Redmi Note {}", 5 + n % 10),
                1 => format!("M2{n:03}J{}S{letter}", n % 30),
                _ => format!("2{n:03}{}{letter}", 1_000 + n * 7 % 9_000),
            },
            "OPPO" => format!("CPH{}", 1_700 + n),
            "vivo" => format!("V{}", 1_900 + n / 2),
            "realme" => format!("RMX{}", 1_800 + n * 2),
            "motorola" => format!("moto {}{}", dice.any(&["g", "e", "edge "]), n % 90),
            "HUAWEI" => format!(
                "{}-L{:02}",
                dice.any(&["ELE", "VOG", "MAR", "POT", "ANE"]),
                n % 60
            ),
            "Google" => format!("Pixel {}{}", 3 + n % 8, dice.any(&["", " Pro", "a", " XL"])),
            "INFINIX" => format!("Infinix X{}", 600 + n % 300),
            _ => format!(
                "TECNO {letter}{}{}",
                dice.any(&["C", "E", "G", "I"]),
                n % 10
            ),
        };
        let android = *dice.weighed(&[
            (4.0, 9),
            (7.0, 10),
            (11.0, 11),
            (14.0, 12),
            (20.0, 13),
            (24.0, 14),
            (18.0, 15),
            (2.0, 16),
        ]);
        let letters = [
            "PPR1", "QP1A", "RP1A", "SP1A", "TP1A", "UP1A", "AP3A", "BP2A",
        ];
        let of_android = letters[usize::try_from(android - 9).expect("it is at least 9")];
        let build = format!(
            "{of_android}.2{}{:02}{:02}.0{:02}",
            n % 6,
            1 + n % 12,
            1 + n % 28,
            n % 30
        );
        Phone {
            maker,
            model,
            android,
            build,
        }
    };
    (0..MODELS).map(model).collect()
}

/// Models of the iPhone by their own names, the most frequent first.
pub(super) const IPHONES: [&str; 32] = [
    "iPhone15,4",
    "iPhone14,5",
    "iPhone16,2",
    "iPhone13,2",
    "iPhone17,1",
    "iPhone12,1",
    "iPhone17,2",
    "iPhone15,3",
    "iPhone16,1",
    "iPhone15,2",
    "iPhone14,7",
    "iPhone17,3",
    "iPhone14,2",
    "iPhone14,3",
    "iPhone13,4",
    "iPhone13,3",
    "iPhone12,8",
    "iPhone14,6",
    "iPhone15,5",
    "iPhone17,4",
    "iPhone12,5",
    "iPhone12,3",
    "iPhone14,4",
    "iPhone11,8",
    "iPhone14,8",
    "iPhone13,1",
    "iPhone18,1",
    "iPhone18,2",
    "iPhone18,3",
    "iPhone11,2",
    "iPhone11,6",
    "iPhone17,5",
];

/// Versions of iOS, the most frequent first, and their builds.
pub(super) const SYSTEMS: [(&str, &str); 24] = [
    ("18_6_2", "22G100"),
    ("26_0_1", "23A355"),
    ("18_5", "22F76"),
    ("18_7", "22H20"),
    ("18_6", "22G86"),
    ("26_1", "23B85"),
    ("26_0", "23A341"),
    ("18_6_1", "22G90"),
    ("17_6_1", "21G93"),
    ("16_7_11", "20H360"),
    ("18_3_2", "22D82"),
    ("18_1_1", "22B91"),
    ("18_4_1", "22E252"),
    ("17_5_1", "21F90"),
    ("15_8_4", "19H390"),
    ("18_7_1", "22H31"),
    ("18_2_1", "22C161"),
    ("17_4_1", "21E236"),
    ("16_6_1", "20G81"),
    ("18_0_1", "22A3370"),
    ("17_7_2", "21H221"),
    ("16_3_1", "20D67"),
    ("17_3_1", "21D61"),
    ("15_6_1", "19G82"),
];
