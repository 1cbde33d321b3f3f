/** The second verifier, written from docs/event-log.md alone: one file that needs nothing but Node 20 or a browser.
 * @typedef {{ name: string, ok: boolean, detail: string, judged?: false, first_bad?: number, reason?: string }} Verdict
 * @typedef {{ origin?: string, key?: string, heads?: { position: number, hash: string }[], checkpoints?: string[],
 *   network?: string, contract?: string, signer?: string, onEvents?: (count: number) => unknown }} Options */
const fail = (reason) => { throw new Error(reason); };
export const need = (condition, otherwise) => condition || fail(otherwise);
const needSame = (is, right) => Object.entries(right).every(([name, one]) => need(is[name] === one, `${name} is not ${one}`));
// ---- Sections 2 and 3: bytes and hashes. Hashes are hex throughout.
const utf8 = new TextEncoder();
const word = (n, digits = 64) => n.toString(16).padStart(digits, "0");
const number = (digits) => Number(`0x${digits}`);
const hex = (bytes) => Array.from(bytes, (byte) => word(byte, 2)).join("");
const BYTE = new Map(Array.from({ length: 256 }, (_, n) => [word(n, 2), n]));
const unhex = (it) => new Uint8Array((it.replace(/^0x|-/g, "").match(/..?/gs) ?? []).map((xx) => BYTE.get(xx) ?? fail("no hex")));
const [u32, u64] = [8, 16].map((digits) => (n) => unhex(word(n, digits)));
const LP = (text) => join(u32(utf8.encode(text).length), text);
function join(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  for (let i = 0, at = 0; i < pieces.length; at += pieces[i++].length) whole.set(pieces[i], at);
  return whole;
}
const sha256 = globalThis.process?.getBuiltinModule?.("node:crypto")?.hash;
export const H = async (...parts) =>
  sha256 ? sha256("sha256", join(...parts)) : hex(new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts))));
export const eventHash = (origin, row) =>
  H("TS/EVENT/1\0", LP(origin), LP(row.tenant), LP(row.stream_id), u64(row.version), unhex(row.event_id), LP(row.type),
    u32(row.schema_version), u64(row.recorded_at_us), unhex(row.payload_hash), unhex(row.meta_hash), unhex(row.prev_hash));
const TURNS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
export function keccak256(message) { // Ethereum's: Keccak (FIPS 202, section 3) of rate 136, padded with 0x01, not 0x06
  const padded = join(message, [1], Array(135 - (message.length % 136)).fill(0));
  const rotl = (x, n) => BigInt.asUintN(64, (x << BigInt(n)) | (x >> BigInt(64 - n)));
  let s = /** @type {bigint[]} */ (Array(25).fill(0n));
  for (const [at, byte] of padded.entries()) {
    s[(at % 136) >> 3] ^= BigInt(at === padded.length - 1 ? byte ^ 0x80 : byte) << BigInt(8 * (at % 8));
    for (let round = 0, bits = 1; at % 136 === 135 && round < 24; round++) {
      const c = [0, 1, 2, 3, 4].map((x) => s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20]);
      s = s.map((lane, i) => lane ^ c[(i + 4) % 5] ^ rotl(c[(i + 1) % 5], 1));
      s = s.map((_, i) => ((i + 3 * Math.floor(i / 5)) % 5) + 5 * (i % 5)).map((from) => rotl(s[from], TURNS[from]));
      s = s.map((lane, i) => lane ^ (~s[i - (i % 5) + ((i + 1) % 5)] & s[i - (i % 5) + ((i + 2) % 5)]));
      for (let j = 0; j < 7; j++, bits = (bits << 1) ^ ((bits >> 7) * 0x171)) s[0] ^= BigInt(bits & 1) << BigInt(2 ** j - 1);
    }
  }
  return hex(join(...s.slice(0, 4).map((lane) => u64(lane).reverse())));
}
// ---- Section 6, the tree: RFC 9162, section 2.1.
const parent = (left, right) => H([1], unhex(left), unhex(right));
async function climb(m, n, nodes, isEnd) { // a proof (2.1.3.1, 2.1.4.1) from its end: what it makes of m leaves, and of all n
  const last = nodes.pop() ?? fail("a proof is too short");
  if (isEnd(m, n)) return [last, last];
  const k = 2 ** ((n - 1).toString(2).length - 1);
  const [first, all] = await (m <= k ? climb(m, k, nodes, isEnd) : climb(m - k, n - k, nodes, isEnd));
  return m <= k ? [first, await parent(all, last)] : [await parent(last, first), await parent(last, all)];
}
export async function checkInclusion(event_hash, position, size, root, proof) {
  const nodes = [await H([0], unhex(event_hash)), ...proof];
  const [, found] = position <= size ? await climb(position, size, nodes, (_, n) => n === 1) : [];
  need(found === root && nodes.length === 0, `a proof does not lead from ${position} to the root of size ${size}`);
}
async function checkConsistency(m, old, n, root, proof) {
  const nodes = m === n || Number.isInteger(Math.log2(m)) ? [old, ...proof] : [...proof];
  const grown = m > 0 && m <= n ? await climb(m, n, nodes, (a, b) => a === b) : [await H(), m === 0 && root];
  need(`${grown}` === `${old},${root}` && nodes.length === 0, `the tree of ${n} is not shown to extend that of ${m}`);
}
// ---- Section 6, checkpoints.
const unbase64 = (text) => Uint8Array.from(btoa(atob(text)) === text ? atob(text) : fail("no base64"), (c) => c.charCodeAt(0));
export function readNote(note, origin) { // the signatures are yet to be checked
  const [, text, name, size, root, by] = /^((.+)\n(0|[1-9]\d{0,15})\n([^=]{43}=)\n)\n((?:— [^\s+]+ \S+\n)+)$/.exec(note) ?? [];
  need(name === origin && Number(size) < 2 ** 53, `it is no checkpoint of ${origin} in a signed note`);
  const signatures = [...by.matchAll(/^— (\S+) (\S+)$/gm)].map(([, signer, data]) => ({ signer, bytes: unbase64(data) }));
  return { text, signatures, size: Number(size), root: hex(unbase64(root)) };
}
const ED25519 = 2n ** 255n - 19n; // RFC 8032, section 5.1; with a key of small order anybody signs anything
const TORSION = [0n, 1n, 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n];
export async function checkSignatures({ text, signatures }, key, origin) {
  const [, name, id, data = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  const typed = unbase64(data);
  const isOurs = name === origin && typed.length === 33 && typed[0] === 1 && (await H(name, "\n", typed)).startsWith(id);
  const own = signatures.filter(({ signer, bytes }) => signer === name && hex(bytes.slice(0, 4)) === id);
  need(isOurs && own.length > 0, isOurs ? `it is not signed by ${name}+${id}` : `${key} is no Ed25519 key of ${origin}`);
  const y = BigInt.asUintN(255, BigInt(`0x${hex(typed.slice(1).reverse())}`));
  need(y < ED25519 && !TORSION.some((one) => y === one || y === ED25519 - one), `${key} is of small order, or misspelt`);
  const by = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  for (const { bytes } of own) need(await crypto.subtle.verify("Ed25519", by, bytes.slice(4), join(text)), "signature is wrong");
}
// ---- Sections 6 and 8, anchors: Ethereum's Yellow Paper, appendices B and D.
function rlp(bytes) { // its items: strings as hex, lists as arrays; lengths must be spelt as short as can be
  const items = [];
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    const [tag, base] = [bytes[at], bytes[at] < 0xc0 ? 0x80 : 0xc0];
    const start = at + (tag < 0x80 ? 0 : 1 + Math.max(0, tag - base - 55));
    const length = tag - base < 56 ? Math.max(tag - base, tag < 0x80 ? 1 : 0) : number(hex(bytes.slice(at + 1, start)));
    const isShortest = tag - base < 56 ? tag !== 0x81 || bytes[start] > 0x7f : bytes[at + 1] > 0 && length > 55;
    end = isShortest && start + length <= bytes.length ? start + length : fail("its RLP is cut short, or spelt too long");
    items.push((base === 0x80 ? hex : rlp)(bytes.slice(start, end)));
  }
  return items;
}
const decode = (digits) => rlp(unhex(digits)).reduce(() => fail("more stands behind its RLP"));
function encode(item) { // RLP, as `rlp` reads it
  const [body, base] = Array.isArray(item) ? [join(...item.map(encode)), 0xc0] : [unhex(item), 0x80];
  const length = body.length < 56 ? [] : unhex(word(body.length, 2 * Math.ceil(Math.log2(body.length + 1) / 8)));
  const head = length.length > 0 ? [base + 55 + length.length, ...length] : [base + body.length];
  return base === 0x80 && body.length === 1 && body[0] < 0x80 ? body : join(head, body);
}
// secp256k1 (SEC 2, section 2.4.1): its field, its order and its generator.
const [P, N] = [2n ** 256n - 2n ** 32n - 977n, 2n ** 256n - 0x14551231950b75fc4402da1732fc9bebfn];
const G = /** @type {Point} */ ([0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n, 1n]);
/** @typedef {[bigint, bigint, bigint]} Point in Jacobian coordinates: (x / z^2, y / z^3), at infinity where z is 0 */
const mod = (/** @type {bigint} */ n, m = P) => ((n % m) + m) % m;
function power(/** @type {bigint} */ base, exponent, m = P) {
  let product = 1n;
  for (let square = base, left = exponent; left > 0n; square = (square * square) % m, left >>= 1n)
    if (left & 1n) product = (product * square) % m;
  return product;
}
/** @returns {Point} */
function plus(/** @type {Point} */ [x, y, z], /** @type {Point} */ [u, v, w]) {
  if (z === 0n || w === 0n) return z === 0n ? [u, v, w] : [x, y, z];
  const [a, b, s, t] = [x * w ** 2n, u * z ** 2n, y * w ** 3n, v * z ** 3n].map((n) => mod(n));
  const isTwice = a === b && s === t;
  const [h, slope] = isTwice ? [2n * s, 3n * a * a] : [b - a, t - s];
  const sum = mod(slope ** 2n - 2n * a * h ** 2n - (isTwice ? 0n : h ** 3n));
  return [sum, mod(slope * (a * h ** 2n - sum) - s * h ** 3n), mod(h * z * w)];
}
function times(k, /** @type {Point} */ point) {
  let sum = /** @type {Point} */ ([0n, 0n, 0n]);
  for (let twice = point, left = k; left > 0n; twice = plus(twice, twice), left >>= 1n)
    if (left & 1n) sum = plus(sum, twice);
  return sum;
}
export function senderOf(transaction) { // of a signed one of EIP-1559: SEC 1, section 4.1.6, over what it signs
  const items = decode(transaction.slice(4));
  const [parity, r, s] = items.slice(9).map((item) => BigInt(`0x0${item}`));
  const isSpelt = items.length === 12 && items.every((item, n) => n === 5 || n === 7 || n === 8 || !item.startsWith("00"));
  need(isSpelt && parity < 2n && r > 0n && r < N && s > 0n && 2n * s < N, "its transaction has no signature of the chain");
  const y = power(r ** 3n + 7n, (P + 1n) / 4n);
  need(mod(y * y) === mod(r ** 3n + 7n), "its transaction has no signature of the chain");
  const digest = BigInt(`0x${keccak256(join([2], encode(items.slice(0, 9))))}`);
  const inverse = power(r, N - 2n, N);
  const point = /** @type {Point} */ ([r, y % 2n === parity ? y : P - y, 1n]);
  const [u, v, w] = plus(times(mod(-digest * inverse, N), G), times((s * inverse) % N, point));
  const coordinates = [u * power(w, P - 3n), v * power(w, P - 4n)]; // divided by w^2 and w^3 (Fermat)
  return `0x${keccak256(unhex(coordinates.map((n) => word(mod(n))).join(""))).slice(24)}`;
}
function trieValue(root, key, [...nodes]) { // what a Merkle-Patricia proof leads to, from a root by the nibbles of keccak256(key)
  let [at, way, flag] = [root, keccak256(unhex(key)), 0];
  while (flag < 2) {
    const node = typeof at === "string" ? nodes.shift() || "0x" : undefined; // one under 32 bytes stands in its parent
    need(!node || keccak256(unhex(node)) === at, "a node of its state proof is not the one that was named");
    const items = node ? decode(node) : at;
    flag = items.length === 17 ? 0 : Number(items[0][0]); // a branch has 17 items, a leaf's flag is 2 or 3
    const path = items.length === 17 ? way.slice(0, 1) : items[0].slice(flag % 2 === 1 ? 1 : 2);
    need(way.startsWith(path), "its state proof leads elsewhere");
    [at, way] = [items[items.length === 17 ? number(path) : 1], way.slice(path.length)];
  }
  return way === "" && nodes.length === 0 ? decode(at) : fail("its state proof ends elsewhere");
}
export async function checkAnchor(line, origin, options = {}) { // resolves to what is believed, since only the chain can say
  const { size, root, network, contract, signer, transaction } = line;
  const [log_key, header] = [await H(origin), decode(line.header)];
  const [, , storage] = trieValue(header[3], contract, line.account_proof);
  const slot = keccak256(unhex(log_key + keccak256(unhex(hex(unhex(signer)).padStart(64, "0") + word(0)))));
  const kept = trieValue(storage, word(BigInt.asUintN(256, BigInt(`0x${slot}`) + 1n)), line.numbers_proof);
  const [chain, , , , , to, , data] = decode(transaction.slice(4));
  const call = keccak256("anchor(bytes32,uint64,bytes32,bytes32[])").slice(0, 8) + log_key + word(size) + root + word(128);
  needSame({ root: trieValue(storage, slot, line.root_proof).padStart(64, "0"), size: number(kept.slice(-16)) }, { root, size });
  need(transaction.startsWith("0x02"), "its transaction is not of EIP-1559");
  needSame({ network: `eip155:${number(chain)}`, contract: `0x${to}` }, { network, contract });
  needSame({ call: data.slice(0, 264), length: data.length }, { call, length: 328 + 64 * number(data.slice(264, 328)) });
  const sender = senderOf(transaction);
  need(sender === signer, `its transaction is signed by ${sender}, not by ${signer}`);
  for (const name of ["network", "contract", "signer"]) needSame(line, { [name]: (options[name] ?? line[name]).toLowerCase() });
  return `${size}: believed that block ${number(header[8])} 0x${keccak256(unhex(line.header))} is of ${network}`;
}
// ---- Section 7: where each kind of line stands, and its members in their order.
const EVENT = "tenant stream_id version event_id type schema_version recorded_at_us payload meta payload_hash meta_hash";
const COMMIT = "prev_hash event_hash idem_key request_hash commit_size";
const KINDS = Object.entries({
  "1 header log": "format log_id origin exported_at first_position previous_log_hash",
  "1 header stream": "format log_id origin exported_at tenant stream_id",
  "2 key": "evidence key", "3 frontier": "evidence size hashes", "4 checkpoint": "evidence note",
  "5 anchor": "evidence size root network contract signer transaction header account_proof root_proof numbers_proof",
  "7 event log": `position ${EVENT} ${COMMIT.replace(" idem", " log_hash idem")}`, "7 event stream": `${EVENT} ${COMMIT}`,
  "6 consistency": "evidence first second proof", "7 inclusion stream": "evidence version position size proof",
  "8 end log": "end events head position log_hash", "8 end stream": "end events head version event_hash",
});
const COUNTED = /^(events|first|second)$|position$|version$|size$|_us$|^log_id$/;
const [HASH, ADDRESS, BYTES] = [/^[\da-f]{64}$/, /^0x[\da-f]{40}$/, /^0x([\da-f]{2})*$/];
const FORMS = /** @type {Record<string, RegExp>} */ ({
  origin: /./s, exported_at: /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z$/, event_id: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  root: HASH, hashes: HASH, proof: HASH, network: /^eip155:[1-9]\d{0,15}$/, contract: ADDRESS, signer: ADDRESS,
  transaction: BYTES, header: BYTES, account_proof: BYTES, root_proof: BYTES, numbers_proof: BYTES,
});
function isTyped(name, one, kind) { // another type would be hashed or compared as if it were the right one
  if (one === null) return /^(idem_key|request_hash|commit_size)$/.test(name);
  if (COUNTED.test(name)) {
    const least = /end|frontier|consistency/.test(kind) || name === "recorded_at_us" ? 0 : 1;
    return Number.isSafeInteger(one) && one >= least && one < (/^(log_id|commit_size|schema_version)$/.test(name) ? 2 ** 31 : 2 ** 53);
  }
  if (/hashes|proof/.test(name) && !Array.isArray(one)) return false;
  const form = FORMS[name] ?? (name.endsWith("hash") ? HASH : /^/);
  const isWritten = (text) => typeof text === "string" && text.isWellFormed() && form.test(text);
  return [one].flat().every(isWritten) && (name !== "exported_at" || new Date(one).toJSON() === one);
}
function readLine(bytes) { // strings of event lines may be escaped freely
  const line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = JSON.parse(line);
  const members = { ...value, ...value.head };
  const [place, kind, of] = KINDS.find(([, names]) => names === Object.keys(members).join(" "))?.[0].split(" ") ?? [];
  const fixed = { format: `tallystick-${of}/1`, evidence: kind, end: true, head: value.head };
  const isRight = ([member, one]) => (member in fixed ? one === fixed[member] : isTyped(member, one, kind));
  const respell = (text) => (kind !== "event" || text.endsWith(":") ? text : JSON.stringify(JSON.parse(text)));
  const isWritten = (text) => text === line || text === line.replace(/"([^"\\]+|\\.)*":?/g, respell);
  need(kind && isWritten(JSON.stringify(value)) && Object.entries(members).every(isRight), "a line is not as section 7 of event-log.md has it");
  return { place: Number(place), kind, of, value };
}
async function* linesOf(source) {
  let rest = new Uint8Array();
  for await (const chunk of typeof source === "string" || source instanceof Uint8Array ? [source] : source) {
    rest = join(rest, chunk);
    for (let n = rest.indexOf(10); n >= 0; n = rest.indexOf(10)) { yield rest.subarray(0, n); rest = rest.subarray(n + 1); }
    need(rest.length <= 2 ** 24, "a line is longer than 16 MiB");
  }
  need(rest.length === 0, "the last line does not end");
}
// ---- Section 8. `first_bad` is a place among the events, or the size of a tree head: the lowest that is bad.
const VERDICTS = ["format", "chain", "order", "commits", "tree", "signature", "anchor", "completeness"];
/** @param {AsyncIterable<Uint8Array> | Uint8Array | string} source an export, not packed @param {Options} options
 * @returns {Promise<{ ok: boolean, verdicts: Verdict[], head: { position: number, hash: string } | null, events: number, proven: number }>} */
export async function verifyPack(source, options = {}) {
  const [faults, heads, links, proven, notes] = /** @type {any[]} */ ([{}, [], [], [], [...(options.checkpoints ?? [])]]);
  const [streams, roots, common, joined] = [new Map(), new Map(), new Map(), new Map()];
  const met = new Map(options.heads?.map(({ position }) => [position, /** @type {string[]} */ ([])]));
  let [header, isLog, key, place, events, frontier] = /** @type {any[]} */ ([undefined, false, options.key, 0, 0, []]);
  let [first, last, hash, recorded, lacking, leaves] = [1, 0, "", 0, Number.NaN, Number.NaN];
  const must = (name, at, holds, reason) => { if (!holds && !(faults[name]?.first_bad <= at)) faults[name] = { first_bad: at, reason }; };
  const tries = (name, at, step, said = "") => step().catch((error) => must(name, at, false, said + error.message));
  const same = (name, at, stated, right, said) => tries(name, at, async () => needSame(stated, right), said);
  const moveTo = (position, its_hash) => { [last, hash] = [position, its_hash]; met.get(last)?.push(hash); };
  const here = () => (header ? first + events : 0); // the place of the event that comes next
  const addHead = (kind, { size, root }, said) => {
    roots.set(size, roots.get(size) ?? root);
    const changed = kind === "computed" ? `these ${size} events are not those of its tree head` : "two tree heads differ";
    must("tree", size, roots.get(size) === root, `${changed}: there is another root of size ${size} than ${root}`);
    heads.push({ kind, size, said });
  };
  const addNote = (kind, note) => tries("signature", 0, async () => {
    const head = readNote(note, header.origin);
    addHead(kind, head, await tries("signature", head.size, () => checkSignatures(head, key, header.origin).then(() => true)));
  });
  const addRoot = async () => {
    for (const note of notes.splice(0)) await addNote("held", note);
    if (!roots.has(leaves)) return;
    const root = await (leaves > 0 ? frontier.reduceRight(async (right, left) => parent(left, await right)) : H());
    addHead("computed", { size: leaves, root }, common.set(leaves, leaves));
  };
  const take = {
    header: async (value, of) => {
      [header, isLog, first] = [value, of === "log", value.first_position ?? 1];
      await same("completeness", first, value, { origin: options.origin ?? value.origin });
      moveTo(first - 1, value.previous_log_hash ?? "");
      if (isLog && first === 1) [leaves, lacking] = [0, 0];
      if (leaves === 0) await same("order", 1, value, { previous_log_hash: await H("TS/LOG/1\0", LP(value.origin)) });
    },
    key: async (line) => { key ??= line.key; },
    frontier: ({ size, hashes }) => tries("tree", size, async () => {
      const isRight = first > 1 && size === last && hashes.length === size.toString(2).replaceAll("0", "").length;
      [leaves, frontier] = isRight ? [size, hashes] : fail(`the frontier is not one of the ${last} leaves before the export`);
    }),
    checkpoint: ({ note }) => addNote("signed", note),
    anchor: async (it) => addHead("anchored", it, await tries("anchor", it.size, () => checkAnchor(it, header.origin, options))),
    consistency: async (link) => links.push(link) && [link.first, link.second].map((size) => roots.set(size, roots.get(size))),
    event: async (row) => {
      const [at, { version, position = version, payload, meta, event_hash, idem_key, request_hash, commit_size }] = [here(), row];
      const { origin, tenant = row.tenant, stream_id = row.stream_id } = header;
      const genesis = await H("TS/STREAM/1\0", LP(origin), LP(tenant), LP(stream_id));
      const [n, prev_hash] = streams.get(genesis) ?? (first > 1 && version > 1 ? [version - 1, row.prev_hash] : [0, genesis]);
      streams.set(genesis, [version, event_hash]);
      const its = `event ${at}, ${row.type.slice(0, 80)} of stream ${row.stream_id?.slice(0, 80)},`.replace(/\p{C}/gu, "?");
      const hashes = { payload_hash: await H("TS/PAYLOAD/1\0", payload), meta_hash: await H("TS/META/1\0", meta) };
      await same("chain", at, row, { ...hashes, event_hash: await eventHash(origin, row) }, `${its} was changed after it was recorded: `);
      await same("chain", at, row, { tenant, stream_id, version: n + 1, prev_hash }, `${its} does not continue its stream: `);
      const bound = commit_size && await H("TS/COMMIT/1\0", LP(idem_key ?? ""), unhex(request_hash ?? word(0)), u32(commit_size));
      const commit = await Promise.resolve(meta).then(JSON.parse).then((it) => it?.commit, () => undefined);
      must("commits", at, commit === (bound ?? undefined), `meta.commit is ${commit}, not ${bound ?? "absent"}`);
      const isKeyed = idem_key === null ? request_hash === null : commit_size && idem_key && request_hash;
      must("commits", at, isKeyed && (commit_size ? !(lacking > 0) : lacking !== 0), `half a key, or a commit lacks ${lacking}`);
      const log_hash = await H("TS/LOG/1\0", unhex(hash), u64(position), unhex(event_hash));
      [recorded, lacking] = [Math.max(recorded, row.recorded_at_us), isLog ? (commit_size || lacking) - 1 : lacking];
      if (isLog) await same("order", at, row, { position: last + 1, log_hash, recorded_at_us: recorded }, `${its} is not at its place: `);
      await addRoot();
      let node = await H([0], unhex(event_hash));
      for (let n = leaves++; n % 2 === 1; n = (n - 1) / 2) node = await parent(frontier.pop(), node);
      if (leaves > 0) frontier.push(node);
      moveTo(position, row.log_hash ?? event_hash);
      if (++events % 1000 === 0) await options.onEvents?.(events);
    },
    inclusion: async ({ version, position, size, proof }) => {
      need(version === last && proven.at(-1)?.version !== last, "it stands elsewhere than after its event");
      must("tree", events, position > (proven.at(-1)?.position ?? 0), "positions do not rise with versions");
      proven.push({ version, position, size });
      await tries("tree", events, () => checkInclusion(hash, position, size, roots.get(size), proof));
    },
    end: (it) => same("completeness", here(), { ...it, end: `${Object.values(it.head)}` }, { events, end: `${[last, hash]}` }),
  };
  let [unread, shown, size] = [0, 0, 0]; // lines in a row: behind ten thousand, or a first that is no header, none is looked at
  const read = (bytes) => tries("format", here(), async () => {
    unread++;
    const { kind, of, value, place: there } = readLine(bytes);
    [shown, size] = there > 1 && there < 7 ? [shown + 1, size + bytes.length] : [shown, size];
    need(shown <= 100_000 && size <= 2 ** 26, "more evidence precedes the events than 100,000 lines or 64 MiB");
    const isOurs = header ? !of || isLog === (of === "log") : kind === "header";
    await (isOurs && there > place ? take[kind](value, of) : fail(`${kind}: it does not belong here or stands too late`));
    place = there - (/header|key|frontier|end/.test(kind) ? 0 : 0.5); // of the others there may be more
    unread = 0;
  });
  try {
    for await (const line of linesOf(source)) {
      await read(line);
      if (!header || unread >= 10_000) break;
    }
  } catch (error) { must("format", here(), false, error instanceof Error ? error.message : error); }
  for (const name of VERDICTS) must(name, 0, header, "there is no header to go by");
  await addRoot();
  const highest = (numbers) => numbers.reduce((most, one) => Math.max(most, one), 0);
  const has = (kinds) => heads.some(({ kind }) => kinds.test(kind));
  const base = isLog ? leaves : highest(heads.map(({ kind, size }) => (kind === "held" && has(/signed|anchored/) ? 0 : size)));
  common.set(base, base); // leaves in common: a link carries over as many as its smaller tree has, so the largest come first
  for (const { first: m, second: n, proof } of links.sort((a, b) => b.first - a.first))
    await tries("tree", n, async () => {
      await checkConsistency(m, roots.get(m), n, roots.get(n), proof);
      for (const [from, to] of [[m, n], [n, m]]) joined.get(from)?.push(to) ?? joined.set(from, [to]);
      const reached = common.has(m) || common.has(n) ? [m, n] : [];
      for (const to of reached) if (!common.has(to)) for (const next of common.set(to, m) && joined.get(to)) reached.push(next);
    });
  for (const { kind, size } of heads)
    must(...(kind === "held" ? ["completeness", here()] : ["tree", size]), common.get(size) >= Math.min(size, base),
      `the tree head of ${size} is joined to nothing: it is of a fork, or the end was cut off`);
  must("commits", here(), !(lacking > 0), `the last commit lacks ${lacking} of its events`);
  must("completeness", here(), place === 8 && (isLog || events > 0), "the last line or every event is missing: truncated");
  for (const { position, hash: kept } of options.heads ?? [])
    must("completeness", Math.min(Math.max(position, first), here()),
      kept.length >= 8 && met.get(position)?.some((one) => one.startsWith(kept)), `the head ${kept} is not at ${position}`);
  must("signature", 0, !options.key || has(/signed|held/), "a key is given, but there is no checkpoint");
  must("anchor", 0, !(options.network ?? options.contract ?? options.signer) || has(/anchored/), "there is no anchor");
  const reach = (how, most = highest(heads.map(({ kind, said, size }) => (kind === how && said && common.get(size)) || 0))) =>
    isLog ? Math.min(most, here() - 1) : (proven.findLast((one) => one.position <= Math.min(most, common.get(one.size)))?.version ?? 0);
  const reaches = { anchored: reach("anchored"), signed: reach("signed"), held: highest([reach("held"), ...[...met].map(([at, { length }]) => length && at)]) };
  const reached = Object.entries(reaches).map(([how, at]) => (at > 0 ? `${how} up to ${at}, ` : "")).join("");
  const most = highest(Object.values(reaches));
  const changed = ["chain", "order", "tree"].filter((name) => faults[name] && (most === 0 || faults[name].first_bad <= most));
  const judged = changed.length === 0;
  const begun = first > 1 ? `begins at ${first}, what lies before is unproven, ` : "";
  const details = {
    format: "every line could be read", commits: "whole, and bound to their keys",
    chain: `every hash and link of ${events} events in ${streams.size} streams holds`,
    order: isLog ? `no gap up to position ${last}, each log hash holds` : "of one stream, its versions",
    tree: heads.length > 0 ? `tree heads up to ${highest(heads.map(({ size }) => size))} events` : "there is no tree head",
    signature: has(/signed|held/) ? `by ${key}${options.key ? "" : ", which came with the export and was trusted"}` : "nothing is signed",
    anchor: heads.filter(({ kind }) => kind === "anchored").map(({ said }) => said).join("; ") || "nothing is anchored",
    completeness: !judged ? `not judged: the events themselves are not what was signed (see ${changed[0]})`
      : `${begun}${reached}unproven beyond ${most}${most < here() - 1 ? ": without a head of the end, a rewrite or a cut there would not show" : ""}`,
  };
  const verdicts = /** @type {Verdict[]} */ (VERDICTS.map((name) => ({ name, ok: !faults[name], detail: details[name], ...faults[name] })));
  const [end] = verdicts.slice(-1);
  if (end.ok && !judged) Object.assign(end, { ok: false, judged });
  const ok = verdicts.every((one) => one.ok);
  return { ok, verdicts, head: header ? { position: last, hash } : null, events, proven: most };
}
// ---- The command line, where Node runs this file itself, under whatever name. A check that did not take place has not passed: 2.
const [script, pack, ...flags] = globalThis.process?.argv?.slice(1) ?? [];
const [fs, { pathToFileURL }] = script ? [await import("node:fs"), await import("node:url")] : /** @type {any[]} */ ([{}, {}]);
const isHere = (name) => fs.existsSync(name) && pathToFileURL(fs.realpathSync(name)).href === import.meta.url;
const isPiped = script === "-" && import.meta.url.includes("[eval");
if (script && (isPiped || [script, `${script}.js`, `${script}.mjs`].some(isHere))) {
  const form = /^[^-\n][^\n]*(\n--(key|origin|network|contract|signer|checkpoint)\n[^\n]+|\n--head\n\d+:[^\n]+)*$/;
  const isUsage = !form.test([pack, ...flags].join("\n"));
  if (isUsage) console.log("node verifier.js PACK [--key|origin|network|contract|signer|checkpoint X] [--head position:hash]");
  if (isUsage) process.exit(pack === "--help" ? 0 : 2);
  const { createGunzip } = await import("node:zlib");
  const all = (flag) => flags.filter((_, i) => i % 2 === 1 && flags[i - 1] === flag);
  const heads = all("--head").map((head) => ({ position: Number(head.split(":")[0]), hash: head.split(":")[1] ?? "" }));
  const [missing] = all("--checkpoint").filter((file) => !fs.statSync(file, { throwIfNoEntry: false })?.isFile());
  if (missing) console.log(`${missing} cannot be read`);
  if (missing) process.exit(2);
  const checkpoints = all("--checkpoint").map((file) => fs.readFileSync(file, "utf8"));
  const named = Object.fromEntries(flags.map((flag, i) => [flag.slice(2), flags[i + 1]]).filter((_, i) => i % 2 === 0));
  const [file, unpacked] = [fs.createReadStream(pack), pack.endsWith(".gz") ? createGunzip() : undefined];
  if (unpacked) file.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  const { ok, verdicts, head, events, proven } = await verifyPack(unpacked ?? file, { ...named, heads, checkpoints });
  if (!head) console.log(`${pack}: no export of a log: ${verdicts[0].reason}`);
  for (const { ok, name, detail, judged, first_bad, reason } of head ? verdicts : [])
    console.log(ok ? "ok  " : judged === false ? "?   " : "FAIL", name.padEnd(12), reason ? `at ${first_bad}: ${reason}` : detail);
  const later = Math.min(events, (head?.position ?? 0) - proven);
  const rest = later < events ? `verified to ${proven}; ${later} later events rest on the file alone` : "verified; all events rest on the file alone";
  if (head) console.log(`${events} events: ${!ok ? "NOT verified" : later > 0 ? rest : "verified"}`);
  process.exitCode = !head ? 2 : ok ? 0 : 1;
}
