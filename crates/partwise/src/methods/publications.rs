//! The publications of the methods as BibTeX, for reports and for `partwise cite`. Each entry stands once;
//! the methods name theirs in [`MethodSpec::publications`](super::MethodSpec).

/// Partwise itself.
pub const PARTWISE: &str = concat!(
    "@misc{partwise,
  title   = {Partwise: semi-supervised non-negative matrix factorization},
  author  = {{The Partwise developers}},
  version = {",
    env!("CARGO_PKG_VERSION"),
    "},
  year    = {2026}
}"
);

pub(super) const LEE_SEUNG_2001: &str = "@inproceedings{lee2001algorithms,
  title     = {Algorithms for Non-negative Matrix Factorization},
  author    = {Lee, Daniel D. and Seung, H. Sebastian},
  booktitle = {Advances in Neural Information Processing Systems 13},
  pages     = {556--562},
  year      = {2001}
}";

pub(super) const LIU_2010: &str = "@inproceedings{liu2010nonnegative,
  title     = {Non-negative Matrix Factorization with Constraints},
  author    = {Liu, Haifeng and Wu, Zhaohui},
  booktitle = {Proceedings of the Twenty-Fourth AAAI Conference on Artificial Intelligence (AAAI-10)},
  pages     = {506--511},
  year      = {2010}
}";

pub(super) const LIU_2012: &str = "@article{liu2012constrained,
  title   = {Constrained Nonnegative Matrix Factorization for Image Representation},
  author  = {Liu, Haifeng and Wu, Zhaohui and Li, Xuelong and Cai, Deng and Huang, Thomas S.},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume  = {34},
  number  = {7},
  pages   = {1299--1311},
  year    = {2012},
  doi     = {10.1109/TPAMI.2011.217}
}";

pub(super) const LAN_2014: &str = "@inproceedings{lan2014soft,
  title     = {Soft-Constrained Nonnegative Matrix Factorization via Normalization},
  author    = {Lan, Long and Guan, Naiyang and Zhang, Xiang and Tao, Dacheng and Luo, Zhigang},
  booktitle = {International Joint Conference on Neural Networks (IJCNN)},
  year      = {2014}
}";

pub(super) const YANG_2018: &str = "@article{yang2018dual,
  title   = {Non-Negative Matrix Factorization With Dual Constraints for Image Clustering},
  author  = {Yang, Zuyuan and Zhang, Yu and Xiang, Yong and Yan, Wei and Xie, Shengli},
  journal = {IEEE Transactions on Systems, Man, and Cybernetics: Systems},
  year    = {2018}
}";

pub(super) const CHOO_2015: &str = "@article{choo2015weakly,
  title   = {Weakly supervised nonnegative matrix factorization for user-driven clustering},
  author  = {Choo, Jaegul and Lee, Changhyun and Reddy, Chandan K. and Park, Haesun},
  journal = {Data Mining and Knowledge Discovery},
  volume  = {29},
  number  = {6},
  pages   = {1598--1621},
  year    = {2015},
  doi     = {10.1007/s10618-014-0384-8}
}";

pub(super) const LEE_2010: &str = "@article{lee2010semi,
  title   = {Semi-Supervised Nonnegative Matrix Factorization},
  author  = {Lee, Hyekyoung and Yoo, Jiho and Choi, Seungjin},
  journal = {IEEE Signal Processing Letters},
  volume  = {17},
  number  = {1},
  pages   = {4--7},
  year    = {2010},
  doi     = {10.1109/LSP.2009.2027163}
}";

pub(super) const PASCUAL_MONTANO_2006: &str = "@article{pascual2006nonsmooth,
  title   = {Nonsmooth Nonnegative Matrix Factorization (nsNMF)},
  author  = {Pascual-Montano, Alberto and Carazo, J. M. and Kochi, Kieko and Lehmann, Dietrich
             and Pascual-Marqui, Roberto D.},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume  = {28},
  number  = {3},
  pages   = {403--415},
  year    = {2006},
  doi     = {10.1109/TPAMI.2006.60}
}";

pub(super) const XU_2003: &str = "@inproceedings{xu2003document,
  title     = {Document Clustering Based on Non-negative Matrix Factorization},
  author    = {Xu, Wei and Liu, Xin and Gong, Yihong},
  booktitle = {Proceedings of the 26th Annual International ACM SIGIR Conference},
  pages     = {267--273},
  year      = {2003},
  doi       = {10.1145/860435.860485}
}";

pub(super) const CHO_SAUL_2011: &str = "@misc{cho2011nonnegative,
  title         = {Nonnegative matrix factorization for semi-supervised dimensionality reduction},
  author        = {Cho, Youngmin and Saul, Lawrence K.},
  year          = {2011},
  eprint        = {1112.3714},
  archiveprefix = {arXiv}
}";

pub(super) const CAI_2008: &str = "@inproceedings{cai2008nonnegative,
  title     = {Non-negative Matrix Factorization on Manifold},
  author    = {Cai, Deng and He, Xiaofei and Wu, Xiaoyun and Han, Jiawei},
  booktitle = {Eighth IEEE International Conference on Data Mining (ICDM)},
  pages     = {63--72},
  year      = {2008},
  doi       = {10.1109/ICDM.2008.57}
}";

pub(super) const CAI_2011: &str = "@article{cai2011graph,
  title   = {Graph Regularized Nonnegative Matrix Factorization for Data Representation},
  author  = {Cai, Deng and He, Xiaofei and Han, Jiawei and Huang, Thomas S.},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume  = {33},
  number  = {8},
  pages   = {1548--1560},
  year    = {2011},
  doi     = {10.1109/TPAMI.2010.231}
}";

pub(super) const KUANG_2015: &str = "@article{kuang2015symnmf,
  title   = {{SymNMF}: nonnegative low-rank approximation of a similarity matrix for graph clustering},
  author  = {Kuang, Da and Yun, Sangwoon and Park, Haesun},
  journal = {Journal of Global Optimization},
  volume  = {62},
  number  = {3},
  pages   = {545--574},
  year    = {2015},
  doi     = {10.1007/s10898-014-0247-2}
}";

pub(super) const SHASHUA_HAZAN_2005: &str = "@inproceedings{shashua2005nonnegative,
  title     = {Non-negative Tensor Factorization with Applications to Statistics and Computer Vision},
  author    = {Shashua, Amnon and Hazan, Tamir},
  booktitle = {Proceedings of the 22nd International Conference on Machine Learning (ICML)},
  pages     = {792--799},
  year      = {2005},
  doi       = {10.1145/1102351.1102451}
}";

#[cfg(test)]
mod tests {
    use crate::methods::ALL;

    #[test]
    fn every_method_is_cited_by_whole_entries_with_the_dois_of_its_reference() {
        for spec in ALL {
            let bibtex = spec.bibtex();
            let entries: Vec<&str> = bibtex.split("\n\n").collect();
            assert!(entries.len() >= 2 && entries[0].starts_with("@misc{partwise,"), "{}", spec.name);
            for entry in &entries {
                let count = |brace: char| entry.matches(brace).count();
                assert!(
                    entry.starts_with('@') && entry.ends_with('}') && count('{') == count('}'),
                    "{entry}"
                );
                for field in ["title", "author", "year"] {
                    let is_there = entry.lines().any(|line| line.trim_start().starts_with(field));
                    assert!(is_there, "{field} in {entry}");
                }
                assert_eq!(entries.iter().filter(|other| *other == entry).count(), 1, "{}", spec.name);
            }
            for identifier in spec.reference.split([' ', ';', ',']) {
                let named = identifier.strip_prefix("doi:").or(identifier.strip_prefix("arXiv:"));
                assert!(named.is_none_or(|named| bibtex.contains(&format!("{{{named}}}"))), "{identifier}");
            }
        }
    }
}
