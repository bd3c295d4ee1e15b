//! Does the example print what its reader is promised?

#[path = "../examples/preempt_a_long_job.rs"]
mod preempt_a_long_job;

#[test]
fn preempt_a_long_job() {
    let story = preempt_a_long_job::story().expect("the controller accepts every report");
    insta::assert_snapshot!("preempt-a-long-job", story);
}
