//! What does a database of rocmProfileData hold, by the public schema?

/// Returns a database of rocmProfileData with this many launches in four streams, each of one
/// workgroup.
pub(crate) fn launches(ops: u32) -> Vec<u8> {
    let sql = format!(
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
         INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'KernelExecution'), (3, 'add'), (4, '');
         CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ops})
             SELECT i FROM n;
         CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER,
             completionSignal TEXT, start INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);
         INSERT INTO rocpd_op SELECT i, 2, 0, 0, '', 8306020565922417 + i * 900, 8306020565922517 + i * 900, 3, 2 FROM n;
         CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER,
             apiName_id INTEGER, args_id INTEGER);
         INSERT INTO rocpd_api SELECT i, 1087077, 1087077, 8306020565000000 + i * 900, 8306020565000100 + i * 900, 1, 4 FROM n;
         CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
         INSERT INTO rocpd_api_ops SELECT i, i, i FROM n;
         CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX INTEGER, gridY INTEGER,
             gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER, groupSegmentSize INTEGER,
             privateSegmentSize INTEGER, kernelArgAddress TEXT, aquireFence TEXT, releaseFence TEXT,
             codeObject_id INTEGER, kernelName_id INTEGER);
         INSERT INTO rocpd_kernelapi SELECT i, '0x7f9f3915ad7' || (i % 4), 1, 1, 1, 64, 1, 1, 0, 0, '', '', '', '', 3 FROM n;
         DROP TABLE n; VACUUM;"
    );
    let mut connection = rusqlite::Connection::open_in_memory().expect("memory");
    connection.execute_batch(&sql).expect("valid SQL");
    connection.serialize("main").expect("bytes").to_vec()
}
