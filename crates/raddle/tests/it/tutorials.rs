//! Do the commands of the tutorials print what the pages say?

#[test]
fn tutorials() {
    trycmd::TestCases::new().case("../../docs/tutorials/*.md");
}
