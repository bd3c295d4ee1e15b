"use strict";
/* Asks the engine what is in profiles, then what becomes of them, and shows its report. */
const $ = (id) => document.getElementById(id);
const data = (id) => $(id)?.textContent.trim();
const NS = { ms: 1e6, s: 1e9 };

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const unzipped = (base64) => {
  const bytes = new Blob([bytesOf(base64)]).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).blob();
};

/* The engine in a worker of its own, so that the page stays alive. */
function inWorker() {
  const code = URL.createObjectURL(new Blob([data("worker")], { type: "text/javascript" }));
  const module = unzipped(data("engine")).then((blob) => blob.arrayBuffer()).then(WebAssembly.compile);
  return async (question, tell, signal) => {
    const compiled = await module;
    signal.throwIfAborted();
    const worker = new Worker(code);
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        worker.onmessage = (event) => {
          const line = JSON.parse(event.data);
          if (line.progress) tell(line.progress);
          else resolve(line);
        };
        worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
        worker.postMessage({ module: compiled, question });
      });
    } finally {
      worker.terminate();
    }
  };
}

/* The engine behind `raddle serve`. */
function served() {
  return async (question, tell, signal) => {
    const response = await fetch("answer", { method: "POST", body: question, signal });
    if (!response.ok) throw new Error(await response.text());
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", part; !(part = await reader.read()).done;) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      for (const line of lines.map((text) => JSON.parse(text))) {
        if (!line.progress) return line;
        tell(line.progress);
      }
    }
    throw new Error("raddle serve has ended: start it again");
  };
}

const engine = $("engine") ? inWorker() : served();
/* What is asked, with what the page does not show; its files; its processes, each with its row. */
let base = {};
let files = [];
let rows = [];
/* What was answered last. */
const shown = { summary: "", page: "" };
let going;
/* A slider that moves asks once it rests. */
let rests;

function state(name, text = "") {
  document.body.dataset.state = name;
  $("state").textContent = text;
  $("go").disabled = name === "busy" || !files.length;
  $("stop").hidden = $("bar").hidden = name !== "busy";
  $("error").textContent = "";
}

/* An answer to another question is not left standing. */
function forget() {
  $("answer").hidden = true;
  document.body.classList.remove("answered");
}

function failed(error) {
  forget();
  state("failed");
  $("error").textContent = error.message || String(error);
}

function progress({ what, done, of }) {
  $("state").textContent = what;
  if (of) [$("bar").max, $("bar").value] = [of, done];
  else $("bar").removeAttribute("value");
}

/* Asks, in place of what is being asked. */
async function ask(study, more) {
  clearTimeout(rests);
  going?.abort();
  const mine = going = new AbortController();
  const names = files.map(({ name, blob }) => ({ name, bytes: blob.size }));
  const head = JSON.stringify({ files: names, study, ...more });
  state("busy", "starting");
  try {
    const question = new Blob([head, "\n", ...files.map(({ blob }) => blob)]);
    const answer = await engine(question, progress, mine.signal);
    if (answer.error) throw new Error(answer.error);
    return mine === going ? answer : undefined;
  } catch (error) {
    if (mine !== going) return undefined;
    if (mine.signal.aborted) state("ready", "cancelled");
    else failed(error);
    return undefined;
  }
}

/* The rate, the goal and the priority that the page shows of a process, taken out of the study. */
function asked(name, lists) {
  const rate = lists.requests.findIndex((text) => text.match(/^(.+)=[\d.]+\/s$/)?.[1] === name);
  const goal = lists.goals.findIndex((text) => text.replace(/\s+\S+\s+\S+$/, "") === name);
  const level = lists.priorities.findIndex((text) => text.replace(/=\d+$/, "") === name);
  const take = (list, at) => (at < 0 ? "" : list.splice(at, 1)[0]);
  return [take(lists.requests, rate), take(lists.goals, goal), take(lists.priorities, level)];
}

function row(found, lists) {
  const part = $("row").content.cloneNode(true).firstElementChild;
  const at = (name) => part.querySelector(`[name="${name}"]`);
  const [said, goal, level] = asked(found.name, lists);
  const span = found["span-ns"] < NS.s ? `${(found["span-ns"] / NS.ms).toPrecision(3)} ms` : `${(found["span-ns"] / NS.s).toPrecision(3)} s`;
  part.querySelector("legend").textContent = found.name;
  part.querySelector(".facts").textContent = `${found.launches.toLocaleString("en")} kernels in ${span}, ${found.device ?? "device not known"}`;
  const rate = said.match(/([\d.]+)\/s$/)?.[1] ?? "";
  const [slide, number] = [at("slide"), at("rate")];
  number.value = rate;
  slide.max = Math.max(100, 4 * Number(rate));
  slide.value = rate || 0;
  slide.addEventListener("input", () => { number.value = Number(slide.value) || ""; });
  number.addEventListener("input", () => {
    if (Number(number.value) > Number(slide.max)) slide.max = 4 * Number(number.value);
    slide.value = number.value || 0;
  });
  const [, figure, limit] = goal.match(/(\S+)\s+(\S+)$/) ?? ["", "", ""];
  at("figure").value = figure;
  at("limit").value = limit;
  at("priority").value = level.split("=").pop();
  part.addEventListener("input", later);
  return {
    part,
    /* Unchanged, it is as it was given. */
    requests: () => (number.value === rate ? said : number.value && `${found.name}=${number.value}/s`),
    goal: () => {
      const same = at("figure").value === figure && at("limit").value === limit;
      if (same) return goal;
      return at("figure").value && at("limit").value && `${found.name} ${at("figure").value} ${at("limit").value}`;
    },
    priority: () => at("priority").value && `${found.name}=${at("priority").value}`,
  };
}

function study() {
  const some = (list) => list.filter(Boolean);
  const [ways, device] = [$("ways").value, $("device").value];
  const requests = [...base.rest.requests, ...some(rows.map((row) => row.requests()))];
  const until = $("until").value ? Math.round(Number($("until").value) * NS.ms) : null;
  const load = { ...base.study.load, requests, until };
  /* When requests arrive is not said where there are none. */
  if (!requests.length && !load.arrivals?.length) {
    for (const key of ["until", "seed", "seeds", "jitter", "time-unit"]) delete load[key];
  }
  const goals = [...base.rest.goals, ...some(rows.map((row) => row.goal()))];
  const priorities = [...base.rest.priorities, ...some(rows.map((row) => row.priority()))];
  const profiles = base.study.profiles ?? files.map(({ name }) => name);
  return { ...base.study, profiles, ways, device: device || null, load, goals, priorities };
}

/* What is in the files; a file that cannot be read goes again. */
async function read(before) {
  const lists = { requests: [...(base.study.load?.requests ?? [])], goals: [...(base.study.goals ?? [])], priorities: [...(base.study.priorities ?? [])] };
  const profiles = base.study.profiles ?? files.map(({ name }) => name);
  const { shapes } = base.study;
  const answer = await ask({ profiles, ...(shapes && { shapes }) }, { "read-only": true });
  if (!answer) {
    if (document.body.dataset.state === "failed") files = before;
    $("go").disabled = !files.length;
    return;
  }
  rows = answer.profiles.map((found) => row(found, lists));
  base.rest = lists;
  $("rest").textContent = [...lists.requests.map((text) => `requests ${text}`), ...lists.goals, ...lists.priorities.map((text) => `priority ${text}`)].join("; ");
  $("profiles").replaceChildren(...rows.map(({ part }) => part));
  $("clear").hidden = Boolean(base.study.profiles);
  state("ready");
}

function show(report) {
  Object.assign(shown, report);
  $("report").srcdoc = report.page;
  $("answer").hidden = false;
  document.body.classList.add("answered");
  for (const [id, type] of [["page", "text/html"], ["summary", "application/json"]]) {
    const link = $(`save-${id}`);
    URL.revokeObjectURL(link.href);
    link.hidden = !report[id];
    link.href = URL.createObjectURL(new Blob([report[id]], { type }));
  }
}

async function replay() {
  const answer = await ask(study());
  if (!answer) return;
  show(answer.report);
  state("done");
}

/* Nothing is asked by itself before the first report. */
function later() {
  if (!shown.page || !rows.length) return;
  clearTimeout(rests);
  rests = setTimeout(replay, 400);
}

async function take(list) {
  const before = files;
  files = [...files];
  for (const blob of list) {
    let name = blob.name;
    for (let n = 2; files.some((file) => file.name === name); n += 1) name = `${n}/${blob.name}`;
    files.push({ name, blob });
  }
  await read(before);
}

async function begin() {
  base = { study: {}, rest: { requests: [], goals: [], priorities: [] } };
  const carried = data("carried");
  state(carried ? "busy" : "ready");
  if (!carried) return;
  const { study, files: all, page } = JSON.parse(carried);
  base.study = study;
  $("ask").classList.add("carried");
  $("ways").value = study.ways ?? "asked";
  $("until").value = study.load?.until ? study.load.until / NS.ms : "";
  const device = study.device ?? "";
  if (![...$("device").options].some(({ value }) => value === device)) $("device").add(new Option(device, device));
  $("device").value = device;
  show({ summary: "", page: await (await unzipped(page)).text() });
  for (const { name, bytes } of all) files.push({ name, blob: await unzipped(bytes) });
  await read(files);
}

$("file").addEventListener("change", () => { take([...$("file").files]); $("file").value = ""; });
$("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  await replay();
  /* Where the answer stands above the form, it is what is looked at. */
  if (document.body.dataset.state === "done" && matchMedia("(max-width: 560px)").matches) scrollTo(0, 0);
});
$("stop").addEventListener("click", () => going?.abort());
$("clear").addEventListener("click", () => { going?.abort(); forget(); [files, rows] = [[], []]; $("profiles").replaceChildren(); $("clear").hidden = true; state("ready"); });
for (const id of ["device", "ways", "until"]) $(id).addEventListener("input", later);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  if (!base.study.profiles) take([...event.dataTransfer.files]);
});
begin().catch(failed);
