/**
 * The second verifier, written from docs/event-log.md alone: one file that needs nothing but Node 20 or a browser.
 * @typedef {{ name: string, ok: boolean, detail: string, first_bad?: number, reason?: string }} Verdict
 * @typedef {{ origin?: string, key?: string, heads?: { position: number, hash: string }[], checkpoints?: string[],
 *   network?: string, contract?: string, signer?: string, onEvents?: (count: number) => unknown }} Options
 */
export function need(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}
function needSame(stated, right) {
  for (const name in right) need(stated[name] === right[name], `${name} is ${stated[name]}, not ${right[name]}`);
}

// Bytes and hashes: sections 2 and 3. Hashes are hex throughout.
const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const digit = (code) => (code < 58 ? code - 48 : code - 87);
/** The bytes of lowercase hex, after 0x or not, UUIDs' dashes left out. */
function unhex(text) {
  const digits = text.replace(/^0x|-/g, "");
  const half = (i) => digit(digits.charCodeAt(i));
  return new Uint8Array(digits.length / 2).map((_, i) => 16 * half(2 * i) + half(2 * i + 1));
}
const word = (n, digits = 64) => n.toString(16).padStart(digits, "0");
const u32 = (n) => unhex(word(n, 8));
const u64 = (n) => unhex(word(n, 16));
const LP = (text) => join(u32(utf8.encode(text).length), text);
function join(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  for (let i = 0, at = 0; i < pieces.length; at += pieces[i++].length) whole.set(pieces[i], at);
  return whole;
}
/** SHA-256 of the parts joined: by Node, which answers at once, or by the browser. */
const sha256 = globalThis.process?.getBuiltinModule?.("node:crypto")?.hash;
export async function H(...parts) {
  const bytes = join(...parts);
  return sha256 ? sha256("sha256", bytes) : hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
export function eventHash(origin, row) {
  const name = [LP(origin), LP(row.tenant), LP(row.stream_id), u64(row.version), unhex(row.event_id), LP(row.type)];
  const hashes = [row.payload_hash, row.meta_hash, row.prev_hash].map(unhex);
  return H("TS/EVENT/1\0", ...name, u32(row.schema_version), u64(row.recorded_at_us), ...hashes);
}
/** Ethereum's hash: Keccak (FIPS 202, section 3) of rate 136, padded with 0x01 in place of SHA-3's 0x06. */
export function keccak256(message) {
  const padded = join(message, [1], Array(135 - (message.length % 136)).fill(0));
  padded[padded.length - 1] ^= 0x80;
  const rotl = (x, n) => BigInt.asUintN(64, (x << BigInt(n)) | (x >> BigInt(64 - n)));
  let s = /** @type {bigint[]} */ (Array(25).fill(0n));
  for (const [at, byte] of padded.entries()) {
    s[(at % 136) >> 3] ^= BigInt(byte) << BigInt(8 * (at % 8));
    for (let round = 0, bits = 1; at % 136 === 135 && round < 24; round++) {
      const c = [0, 1, 2, 3, 4].map((x) => s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20]);
      s = s.map((lane, i) => lane ^ c[(i + 4) % 5] ^ rotl(c[(i + 1) % 5], 1));
      for (let t = 1, x = 1, y = 0, moved = s[1]; t <= 24; t++) {
        [x, y] = [y, (2 * x + 3 * y) % 5];
        [s[x + 5 * y], moved] = [rotl(moved, ((t * (t + 1)) / 2) % 64), s[x + 5 * y]];
      }
      s = s.map((lane, i) => lane ^ (~s[i - (i % 5) + ((i + 1) % 5)] & s[i - (i % 5) + ((i + 2) % 5)]));
      for (let j = 0; j < 7; j++, bits = (bits << 1) ^ ((bits >> 7) * 0x171))
        s[0] ^= BigInt(bits & 1) << BigInt(2 ** j - 1);
    }
  }
  return hex(join(...s.slice(0, 4).map((lane) => u64(lane).reverse())));
}

// The tree: section 6; RFC 9162, section 2.1.
const leaf = (event_hash) => H([0], unhex(event_hash));
const parent = (left, right) => H([1], unhex(left), unhex(right));
const rootOf = async (frontier) =>
  frontier.length === 0 ? H() : frontier.reduceRight(async (right, left) => parent(left, await right));
/** Reads a proof (2.1.3.1, 2.1.4.1) from its end: what it makes of the first m of n leaves, and of all. */
async function climb(m, n, nodes, isEnd) {
  const last = nodes.pop() ?? need(false, "a proof is too short");
  if (isEnd(m, n)) return [last, last];
  const k = 2 ** ((n - 1).toString(2).length - 1);
  const [first, all] = await (m <= k ? climb(m, k, nodes, isEnd) : climb(m - k, n - k, nodes, isEnd));
  return m <= k ? [first, await parent(all, last)] : [await parent(last, first), await parent(last, all)];
}
export async function checkInclusion(event_hash, position, size, root, proof) {
  const nodes = [await leaf(event_hash), ...proof];
  const [, found] = position <= size ? await climb(position, size, nodes, (_, n) => n === 1) : [];
  need(found === root && nodes.length === 0, `a proof does not lead from ${position} to the root of size ${size}`);
}
async function checkConsistency(m, old, n, root, proof) {
  const nodes = m === n || Number.isInteger(Math.log2(m)) ? [old, ...proof] : [...proof];
  const climbed = m === 0 ? [await H(), root] : m <= n ? await climb(m, n, nodes, (a, b) => a === b) : [];
  const isSo = climbed[0] === old && climbed[1] === root && nodes.length === 0;
  need(isSo, `the tree of size ${n} is not shown to extend that of size ${m}`);
}

// Checkpoints: section 6.
function unbase64(text) {
  need(btoa(atob(text)) === text, `${text} is not base64`);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
/** The tree head in a note and its signatures, yet unchecked. */
export function readNote(note, origin) {
  const form = /^((.+)\n(0|[1-9]\d{0,15})\n([^=]{43}=)\n)\n((?:— [^\s+]+ \S+\n)+)$/;
  const [, text, name, size, root, lines] = form.exec(note) ?? [];
  need(name === origin && Number.isSafeInteger(Number(size)), `it is no checkpoint of ${origin} in a signed note`);
  const signed = [...lines.matchAll(/^— (\S+) (\S+)$/gm)];
  const signatures = signed.map(([, signer, data]) => ({ signer, bytes: unbase64(data) }));
  return { text, signatures, size: Number(size), root: hex(unbase64(root)) };
}
export async function checkSignatures({ text, signatures }, key, origin) {
  const [, name, id, data = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  const typed = unbase64(data);
  const isOurs = name === origin && typed.length === 33 && typed[0] === 1;
  need(isOurs && (await H(name, "\n", typed)).startsWith(id), `${key} is no Ed25519 key of ${origin}`);
  const own = signatures.filter(({ signer, bytes }) => signer === name && hex(bytes.slice(0, 4)) === id);
  need(own.length > 0, `it is not signed by ${name}+${id}`);
  const imported = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  const isBy = ({ bytes }) => crypto.subtle.verify("Ed25519", imported, bytes.slice(4), utf8.encode(text));
  need((await Promise.all(own.map(isBy))).every(Boolean), "its signature is wrong");
}

// Anchors: sections 6 and 8; Ethereum's Yellow Paper, appendices B and D.
/** The items in these bytes of RLP: strings as hex, lists as arrays; lengths are spelt as short as can be. */
function rlp(bytes) {
  const items = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, base] = [bytes[at], bytes[at] < 0xc0 ? 0x80 : 0xc0];
    const start = at + (tag < 0x80 ? 0 : 1 + Math.max(0, tag - base - 55));
    const long = () => Number(`0x${hex(bytes.slice(at + 1, start))}`);
    const length = tag < 0x80 ? 1 : tag - base < 56 ? tag - base : long();
    const isShortest = tag - base < 56 ? tag !== 0x81 || bytes[start] > 0x7f : bytes[at + 1] > 0 && length > 55;
    need(isShortest && start + length <= bytes.length, "its RLP is cut short, or spelt longer than need be");
    at = start + length;
    items.push(base === 0x80 ? hex(bytes.slice(start, at)) : rlp(bytes.slice(start, at)));
  }
  return items;
}
function onlyItem(bytes) {
  const [item, ...behind] = rlp(bytes);
  need(behind.length === 0, "more stands behind its RLP");
  return item;
}
/** What a Merkle-Patricia proof leads to, from a root by the nibbles of keccak256(key): RLP, decoded. */
function trieValue(root, key, proof) {
  const nodes = proof.map(unhex);
  let [at, way, flag] = [root, keccak256(unhex(key)), 0];
  while (flag < 2) {
    const bytes = typeof at === "string" ? (nodes.shift() ?? []) : undefined;
    need(!bytes || keccak256(bytes) === at, "a node of its state proof is not the one that was named");
    const items = bytes ? onlyItem(bytes) : at;
    const isBranch = items.length === 17;
    flag = isBranch ? 0 : Number(items[0][0]);
    const path = isBranch ? way.slice(0, 1) : items[0].slice(flag % 2 === 1 ? 1 : 2);
    need(isBranch ? path : items.length === 2 && way.startsWith(path), "its state proof leads elsewhere");
    [at, way] = [items[isBranch ? Number(`0x${path}`) : 1], way.slice(path.length)];
  }
  need(way === "" && nodes.length === 0, "its state proof ends elsewhere");
  return onlyItem(unhex(at));
}
/** Rejects unless the contract kept the head; resolves to what is believed, since only the chain can say. */
export async function checkAnchor(line, origin, options = {}) {
  const { size, root, network, contract, signer } = line;
  const log_key = await H(origin);
  const [chain, , , , , to, , input] = onlyItem(unhex(line.transaction.slice(4)));
  const [header, hash] = [onlyItem(unhex(line.header)), keccak256(unhex(line.header))];
  const [, , storage] = trieValue(header[3], contract, line.account_proof);
  const slot = keccak256(unhex(log_key + keccak256(unhex(signer.slice(2).padStart(64, "0") + word(0)))));
  const next = word(BigInt.asUintN(256, BigInt(`0x${slot}`) + 1n));
  const numbers = trieValue(storage, next, line.numbers_proof);
  const shown = {
    ...{ type: line.transaction.slice(0, 4), network: `eip155:${Number(`0x${chain}`)}`, contract: `0x${to}` },
    ...{ input: input.slice(0, 264), length: input.length, size: Number(`0x${numbers.slice(-16)}`) },
    root: trieValue(storage, slot, line.root_proof).padStart(64, "0"),
  };
  const selector = keccak256(utf8.encode("anchor(bytes32,uint64,bytes32,bytes32[])")).slice(0, 8);
  const call = selector + log_key + word(size) + root + word(128);
  const length = 328 + 64 * Number(`0x${input.slice(264, 328)}`);
  needSame(shown, { type: "0x02", network, contract, input: call, length, size, root });
  for (const name of ["network", "contract", "signer"])
    need((options[name] ?? line[name]).toLowerCase() === line[name], `its ${name} is ${line[name]}`);
  return `${size}: believed that block ${Number(`0x${header[8]}`)} 0x${hash} is of ${network} and final`;
}

// Lines: section 7, which writes them so. S text, H hash, X bytes, U UUID, N number, P above 0; in brackets a list.
const KINDS = {
  S: /"(?:[^"\\]|\\.)*"/.source,
  H: /"[0-9a-f]{64}"/.source,
  X: /"0x(?:[0-9a-f]{2})*"/.source,
  U: /"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/.source,
  N: /\d{1,16}/.source,
  P: /[1-9]\d{0,15}/.source,
};
const HEADER = '"log_id":P,"origin":S,"exported_at":S';
const COLUMNS = '"tenant":S,"stream_id":S,"version":P,"event_id":U,"type":S,"schema_version":P,"recorded_at_us":N';
const EVENT = `${COLUMNS},"payload":S,"meta":S,"payload_hash":H,"meta_hash":H,"prev_hash":H,"event_hash":H`;
const COMMIT = '"idem_key":(null|S),"request_hash":(null|H),"commit_size":(null|P)';
const CALL = '"network":S,"contract":X,"signer":X,"transaction":X';
const PROOFS = '"header":X,"account_proof":[X],"root_proof":[X],"numbers_proof":[X]';
const FORMS = Object.entries({
  "log event": `{"position":P,${EVENT},"log_hash":H,${COMMIT}}`,
  "stream event": `{${EVENT},${COMMIT}}`,
  "log header": `{"format":"tallystick-log/1",${HEADER},"first_position":P,"previous_log_hash":H}`,
  "stream header": `{"format":"tallystick-stream/1",${HEADER},"tenant":S,"stream_id":S}`,
  key: '{"evidence":"key","key":S}',
  frontier: '{"evidence":"frontier","size":N,"hashes":[H]}',
  checkpoint: '{"evidence":"checkpoint","note":S}',
  anchor: `{"evidence":"anchor","size":P,"root":H,${CALL},${PROOFS}}`,
  consistency: '{"evidence":"consistency","first":N,"second":N,"proof":[H]}',
  "stream inclusion": '{"evidence":"inclusion","version":P,"position":P,"size":P,"proof":[H]}',
  "log end": '{"end":true,"events":N,"head":{"position":N,"log_hash":H}}',
  "stream end": '{"end":true,"events":N,"head":{"version":P,"event_hash":H}}',
}).map(([name, line]) => {
  const form = line.replace(/[{}]/g, "\\$&").replace(/\[(.)\]/g, "\\[($1,?)*\\]");
  return { name, form: new RegExp(`^${form.replace(/[A-Z]/g, (kind) => KINDS[kind])}$`) };
});
/** What a line says, and its kind. Strings of event lines may be escaped freely. */
function readLine(bytes) {
  const line = strictUtf8.decode(bytes);
  const { name = "" } = FORMS.find(({ form }) => form.test(line)) ?? {};
  const value = JSON.parse(line);
  const isWritten = name.endsWith("event") || (name && JSON.stringify(value) === line);
  const most = (member) => (/^(log_id|schema_version|commit_size)$/.test(member) ? 2 ** 31 : 2 ** 53);
  for (const [member, one] of Object.entries(value))
    need(typeof one === "string" ? one.isWellFormed() : !(one >= most(member)) || one.length, `${member} is ${one}`);
  need(isWritten && value.origin !== "", `it is not written as section 7 has it`);
  return { name, kind: name.slice(name.indexOf(" ") + 1), value };
}
async function* linesOf(source) {
  const whole = typeof source === "string" ? utf8.encode(source) : source;
  let rest = new Uint8Array();
  for await (const chunk of whole instanceof Uint8Array ? [whole] : whole) {
    rest = join(rest, chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    need(rest.length <= 2 ** 24, "a line is longer than 16 MiB");
  }
  need(rest.length === 0, "the last line does not end");
}

// Checking: section 8.
const VERDICTS = ["format", "chain", "order", "commits", "tree", "signature", "anchor", "completeness"];
/**
 * Judges an export and its evidence: `first_bad` is a position, of a stream a version, of a tree head its size.
 * @param {AsyncIterable<Uint8Array> | Uint8Array | string} source not packed @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[], head: { position: number, hash: string } | null, events: number }>}
 */
export async function verifyPack(source, options = {}) {
  const held = (options.heads ?? []).map((head) => ({ ...head, met: "" }));
  const notes = [...(options.checkpoints ?? [])];
  const evidence = /** @type {any} */ ({ key: [], frontier: [], checkpoint: [], anchor: [], consistency: [] });
  const [faults, streams, roots, common] = [/** @type {any} */ ({}), new Map(), new Map(), new Map()];
  const [heads, proven] = [/** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
  let [header, row, key] = /** @type {any[]} */ ([undefined, undefined, options.key]);
  let [isLog, first, last, hash, lacking, rank] = [false, 1, 0, "", Number.NaN, 0];
  let [events, leaves, frontier] = [0, Number.NaN, /** @type {string[]} */ ([])];

  /** Keeps the first fault of each verdict; where they come in any order, the lowest. */
  const must = (name, at, holds, reason) => {
    const isLater = faults[name]?.first_bad <= (/tree|completeness/.test(name) ? at : 2 ** 53);
    if (!holds && !isLater) faults[name] = { first_bad: at, reason };
  };
  const tries = (name, at, step) => step().catch((error) => must(name, at, false, error.message));
  const agree = (name, at, stated, right) => tries(name, at, async () => needSame(stated, right));
  const meet = () => {
    for (const head of held) if (head.position === last) head.met = hash;
  };
  const addHead = (kind, { size, root }, said) => {
    roots.set(size, roots.get(size) ?? root);
    must("tree", size, roots.get(size) === root, `there is another root of size ${size} than ${root}`);
    heads.push({ kind, size, root, said });
  };
  const addNote = async (kind, note) => {
    const head = await tries("signature", 0, async () => readNote(note, header?.origin));
    const check = async () => (await checkSignatures(head, key, header.origin)) ?? "signed";
    if (head) addHead(kind, head, await tries("signature", head.size, check));
  };
  const computeRoot = async () => {
    if (!roots.has(leaves)) return;
    addHead("computed", { size: leaves, root: await rootOf(frontier) });
    common.set(leaves, leaves);
  };
  const begin = async (value) => {
    const { previous_log_hash, first_position = 1 } = value;
    [header, isLog, hash] = [value, "first_position" in value, previous_log_hash];
    [first, last] = [first_position, first_position - 1];
    await agree("completeness", first, value, { origin: options.origin ?? value.origin });
    if (isLog) meet();
    if (!isLog || first > 1) return;
    [leaves, lacking] = [0, 0];
    await agree("order", 1, value, { previous_log_hash: await H("TS/LOG/1\0", LP(value.origin)) });
  };
  /** What stands before the events, read as soon as it is whole. */
  const weigh = async () => {
    key ??= evidence.key[0]?.key;
    for (const { size, hashes } of evidence.frontier.splice(0)) {
      const isRight = first > 1 && size === last && hashes.length === size.toString(2).replaceAll("0", "").length;
      must("tree", size, isRight, `the frontier is not one of the ${last} leaves before the export`);
      if (isRight) [leaves, frontier] = [size, hashes];
    }
    for (const { note } of evidence.checkpoint.splice(0)) await addNote("signed", note);
    for (const line of evidence.anchor.splice(0))
      addHead("anchored", line, await tries("anchor", line.size, () => checkAnchor(line, header.origin, options)));
    for (const note of notes.splice(0)) await addNote("held", note);
    for (const { first, second } of evidence.consistency)
      for (const size of [first, second]) roots.set(size, roots.get(size));
  };
  const event = async (value) => {
    const { version, prev_hash, event_hash, idem_key, request_hash, commit_size } = value;
    const { origin, tenant = value.tenant, stream_id = value.stream_id } = header;
    const at = value.position ?? version;
    const stream = JSON.stringify([value.tenant, value.stream_id]);
    const genesis = () => H("TS/STREAM/1\0", LP(origin), LP(value.tenant), LP(value.stream_id));
    const unknown = first > 1 && version > 1 ? [version - 1, prev_hash] : undefined;
    const [before, link] = streams.get(stream) ?? unknown ?? [0, await genesis()];
    streams.set(stream, [version, event_hash]);
    await agree("chain", at, value, {
      payload_hash: await H("TS/PAYLOAD/1\0", value.payload),
      meta_hash: await H("TS/META/1\0", value.meta),
      event_hash: await eventHash(origin, value),
      ...{ tenant, stream_id, version: before + 1, prev_hash: link },
    });
    const log_hash = isLog && (await H("TS/LOG/1\0", unhex(hash), u64(at), unhex(event_hash)));
    if (isLog) await agree("order", at, value, { position: last + 1, log_hash });
    must("order", at, !isLog || !(value.recorded_at_us < row?.recorded_at_us), "recorded_at_us goes back");
    if (leaves >= 0) {
      await computeRoot();
      let node = await leaf(event_hash);
      for (let n = leaves++; n % 2 === 1; n = (n - 1) / 2) node = await parent(frontier.pop(), node);
      frontier.push(node);
    }
    const isFirst = commit_size !== null;
    const bound = [LP(idem_key ?? ""), unhex(request_hash ?? word(0)), u32(commit_size ?? 0)];
    const commit = isFirst ? await H("TS/COMMIT/1\0", ...bound) : undefined;
    await tries("commits", at, async () => needSame(JSON.parse(value.meta), { commit }));
    const isBare = idem_key === null && request_hash === null;
    const isKeyed = isFirst && idem_key && request_hash;
    must("commits", at, isBare || isKeyed, "idem_key or request_hash stands alone or inside a commit");
    const isInTurn = isFirst ? !(lacking > 0) : lacking !== 0;
    must("commits", at, isInTurn, `before it, the running commit lacked ${lacking} events`);
    lacking = isFirst ? (isLog ? commit_size - 1 : Number.NaN) : lacking - 1;
    [row, last, hash] = [value, at, value.log_hash ?? event_hash];
    meet();
    if (++events % 1000 === 0) await options.onEvents?.(events);
  };
  const inclusion = async ({ version, position, size, proof }) => {
    const before = proven.at(-1) ?? { version: 0, position: 0 };
    need(row?.version === version && before.version !== version, "it stands elsewhere than after its event");
    must("tree", version, position > before.position, "positions do not rise with versions");
    proven.push({ version, position, size });
    await tries("tree", version, () => checkInclusion(row.event_hash, position, size, roots.get(size), proof));
  };
  const end = async ({ head, ...value }) => {
    const [at, stated] = Object.values(head);
    await agree("completeness", last + 1, { ...value, at, hash: stated }, { events, at: last, hash });
  };
  const ORDER = ["", "header", ...Object.keys(evidence), "event", "end"];
  const read = async (bytes) => {
    const { name, kind, value } = readLine(bytes);
    const place = ORDER.indexOf(kind === "inclusion" ? "event" : kind);
    const isOurs = header ? !name.startsWith(isLog ? "stream" : "log") : kind === "header";
    need(isOurs && place > rank, `${name}: it does not belong here or stands too late`);
    if (/event|end/.test(kind) && !(events > 0)) await weigh();
    await (evidence[kind]?.push(value) ?? { header: begin, event, inclusion, end }[kind](value));
    rank = Math.max(rank, /header|key|frontier|end/.test(kind) ? place : place - 1);
  };
  await tries("format", 1, async () => {
    for await (const bytes of linesOf(source)) {
      await tries("format", last + 1, () => read(bytes));
      if (!header) break;
    }
  });
  for (const name of VERDICTS) must(name, 1, header, "there is no header to go by");
  await weigh();
  await computeRoot();

  // What trees have in common: a consistency proof carries over as many leaves as its smaller tree has.
  const own = heads.filter(({ kind }) => kind !== "held");
  const largest = Math.max(-1, ...(own.length > 0 ? own : heads).map(({ size }) => size));
  const base = isLog ? leaves : largest;
  common.set(base, base);
  const ways = [];
  for (const { first: m, second: n, proof } of evidence.consistency)
    await tries("tree", n, async () => {
      need(roots.get(m) && roots.get(n), `a consistency line from ${m} to ${n} joins no known tree heads`);
      await checkConsistency(m, roots.get(m), n, roots.get(n), proof);
      ways.push({ from: m, to: n, most: m }, { from: n, to: m, most: m });
    });
  const grows = ({ from, to, most }) => {
    const shared = Math.min(common.get(from) ?? -1, most);
    return shared > (common.get(to) ?? -1) && common.set(to, shared);
  };
  while (ways.filter(grows).length > 0);
  for (const { kind, size } of heads) {
    const isJoined = common.get(size) >= Math.min(size, base);
    if (kind === "held")
      must("completeness", last + 1, isJoined, `the checkpoint of size ${size} is not met: the end is cut`);
    else must("tree", size, isJoined, `the tree head of size ${size} is joined to nothing`);
  }
  must("commits", last + 1, !(lacking > 0), `the last commit lacks ${lacking} of its events`);
  const isWhole = ORDER[rank] === "end" && (isLog || events > 0);
  must("completeness", last + 1, isWhole, "the last line or every event is missing: truncated");
  for (const { position, hash, met } of held) {
    const at = Math.min(Math.max(position, first), last + 1);
    const isMet = met.startsWith(hash) && hash.length >= 8;
    const found = met ? `${position} has the hash ${met}, not ${hash}` : `nothing stands at ${position}`;
    must("completeness", at, isMet, found);
  }
  const of = (...kinds) => heads.filter(({ kind }) => kinds.includes(kind));
  must("signature", 0, !options.key || of("signed", "held").length > 0, "a key is given, but there is no checkpoint");
  const isAsked = options.network ?? options.contract ?? options.signer;
  must("anchor", 0, !isAsked || of("anchored").length > 0, "there is no anchor");

  const reach = (kind) => {
    const sound = of(kind).filter(({ said, size, root }) => said && roots.get(size) === root);
    const most = Math.max(0, ...sound.map(({ size }) => common.get(size) ?? 0));
    const isProven = ({ position, size }) => position <= Math.min(most, common.get(size) ?? 0);
    return isLog ? Math.min(most, last) : Math.max(0, ...proven.filter(isProven).map(({ version }) => version));
  };
  const noted = Math.max(reach("held"), ...held.map(({ position }) => position));
  const reaches = Object.entries({ anchored: reach("anchored"), signed: reach("signed"), held: noted });
  const reached = reaches.filter(([, at]) => at > 0).map(([how, at]) => `${how} up to ${at}`);
  const begun = first > 1 ? [`begins at ${first}, what lies before is unproven`] : [];
  const from = options.key ? "" : ", which came along and was trusted";
  const details = {
    signature: of("signed", "held").length > 0 ? `by ${key}${from}` : "nothing is signed",
    anchor: Array.from(of("anchored"), ({ said }) => said).join("; ") || "nothing is anchored",
    completeness: [...begun, ...reached, `unproven beyond ${Math.max(...reaches.map(([, at]) => at))}`].join(", "),
  };
  const detailOf = (name) => details[name] ?? `${events} events of ${header?.origin}`;
  const verdicts = VERDICTS.map((name) => ({ name, ok: !faults[name], detail: detailOf(name), ...faults[name] }));
  return { ok: verdicts.every(({ ok }) => ok), verdicts, head: header ? { position: last, hash } : null, events };
}

// The command line.
async function main(/** @type {string[]} */ [pack, ...flags]) {
  const { createReadStream, readFileSync } = await import("node:fs");
  const { Readable } = await import("node:stream");
  const [heads, checkpoints] = [/** @type {any[]} */ ([]), /** @type {string[]} */ ([])];
  const options = { heads, checkpoints };
  const named = "key origin network contract signer".split(" ");
  const takes = {
    "--head": (head) => heads.push({ position: Number(head.split(":")[0]), hash: head.split(":")[1] ?? "" }),
    "--checkpoint": (file) => checkpoints.push(readFileSync(file, "utf8")),
  };
  for (const name of named) takes[`--${name}`] = (value) => Object.assign(options, { [name]: value });
  const isTaken = flags.every((flag, i) => i % 2 === 1 || (flags[i + 1] && takes[flag]?.(flags[i + 1])));
  if (!pack || pack.startsWith("-") || !isTaken || heads.some(({ position, hash }) => !(position >= 0 && hash))) {
    process.exitCode = pack === "--help" ? 0 : 2; // A check that did not take place has not passed.
    const flagged = named.map((name) => `[--${name} …]`).join(" ");
    return console.log(`node verifier.js PACK ${flagged} [--head position:hash] [--checkpoint FILE]`);
  }
  const file = Readable.toWeb(createReadStream(pack));
  const plain = pack.endsWith(".gz") ? file.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip"))) : file;
  const { ok, verdicts } = await verifyPack(/** @type {any} */ (plain), options);
  for (const { ok, name, detail, first_bad, reason } of verdicts)
    console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(12)} ${ok ? detail : `at ${first_bad}: ${reason}`}`);
  process.exitCode = ok ? 0 : 1;
}
if (globalThis.process?.argv?.[1]?.endsWith("verifier.js")) await main(globalThis.process.argv.slice(2));
