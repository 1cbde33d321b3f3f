/**
 * Sets that the lexicon was written with, one after the other, by whoever wrote the lexicon: each was committed and measured before the lexicon learnt from it.
 * They say what a wording does to the classifier more than what a stranger's text may expect; for that, sets are written blind.
 */
import type { Described } from "./described.ts";
import { eighteenth } from "./rehearsals/eighteenth.ts";
import { eighth } from "./rehearsals/eighth.ts";
import { fifteenth } from "./rehearsals/fifteenth.ts";
import { fifth } from "./rehearsals/fifth.ts";
import { first } from "./rehearsals/first.ts";
import { fourteenth } from "./rehearsals/fourteenth.ts";
import { fourth } from "./rehearsals/fourth.ts";
import { harmless } from "./rehearsals/harmless.ts";
import { nineteenth } from "./rehearsals/nineteenth.ts";
import { ninth } from "./rehearsals/ninth.ts";
import { second } from "./rehearsals/second.ts";
import { seventeenth } from "./rehearsals/seventeenth.ts";
import { seventh } from "./rehearsals/seventh.ts";
import { sixteenth } from "./rehearsals/sixteenth.ts";
import { sixth } from "./rehearsals/sixth.ts";
import { tenth } from "./rehearsals/tenth.ts";
import { third } from "./rehearsals/third.ts";
import { thirteenth } from "./rehearsals/thirteenth.ts";
import { thirtieth } from "./rehearsals/thirtieth.ts";
import { twelfth } from "./rehearsals/twelfth.ts";
import { twentieth } from "./rehearsals/twentieth.ts";
import { twentyEighth } from "./rehearsals/twentyeighth.ts";
import { twentyFifth } from "./rehearsals/twentyfifth.ts";
import { twentyFirst } from "./rehearsals/twentyfirst.ts";
import { twentyFourth } from "./rehearsals/twentyfourth.ts";
import { twentyNinth } from "./rehearsals/twentyninth.ts";
import { twentySecond } from "./rehearsals/twentysecond.ts";
import { twentySeventh } from "./rehearsals/twentyseventh.ts";
import { twentySixth } from "./rehearsals/twentysixth.ts";
import { twentyThird } from "./rehearsals/twentythird.ts";

/** `atFirst`: of its HIGH ones called HIGH, of its PROHIBITED ones called PROHIBITED, of all others called either. */
export type Rehearsal = { name: string; set: readonly Described[]; atFirst: [number, number, number] };

export const rehearsals: readonly Rehearsal[] = [
  { name: "1: as sellers and buyers speak; measured with `lexicon/2`", set: first, atFirst: [14, 2, 1] },
  { name: "2: other voices", set: second, atFirst: [40, 12, 0] },
  { name: "3: much that is harmless beside words of the Act", set: third, atFirst: [41, 8, 4] },
  { name: "4: long and dry", set: fourth, atFirst: [41, 7, 0] },
  { name: "5: in the manner of the third set", set: fifth, atFirst: [31, 5, 2] },
  { name: "6: plain", set: sixth, atFirst: [33, 4, 2] },
  { name: "7: denials and assurances around the deed", set: seventh, atFirst: [15, 2, 0] },
  { name: "8: one strange sentence each", set: eighth, atFirst: [12, 0, 3] },
  { name: "9: as mixed as a day's mail", set: ninth, atFirst: [39, 10, 0] },
  { name: "10: as 5", set: tenth, atFirst: [27, 7, 0] },
  { name: "11: the harmless alone", set: harmless, atFirst: [0, 0, 5] },
  { name: "12: as 5, other languages included", set: twelfth, atFirst: [33, 7, 1] },
  { name: "13: advertising, and all in the passive voice", set: thirteenth, atFirst: [19, 4, 0] },
  { name: "14: plain, in the manner of the third set", set: fourteenth, atFirst: [26, 7, 0] },
  {
    name: "15: Article 5 in many wordings, and fields in which nobody is judged",
    set: fifteenth,
    atFirst: [14, 33, 12],
  },
  { name: "16: what resembles Article 5, and things", set: sixteenth, atFirst: [27, 8, 1] },
  { name: "17: Article 5 and its neighbours", set: seventeenth, atFirst: [18, 9, 1] },
  {
    name: "18: each letter of Article 5 ten times, and its neighbours",
    set: eighteenth,
    atFirst: [15, 24, 1],
  },
  {
    name: "19: Article 5 and near misses of its elements; measured while `lexicon/5` was made",
    set: nineteenth,
    atFirst: [25, 11, 0],
  },
  { name: "20: Article 5 said plainly, and near misses in its words", set: twentieth, atFirst: [30, 16, 1] },
  {
    name: "21: Article 5 in a stranger's manner, and harmless texts full of its words",
    set: twentyFirst,
    atFirst: [24, 13, 0],
  },
  {
    name: "22: Article 5 with harm and purpose said, and what comes nearest to it",
    set: twentySecond,
    atFirst: [20, 19, 0],
  },
  {
    name: "23: long, with many words of Article 5 that say nothing forbidden",
    set: twentyThird,
    atFirst: [21, 6, 1],
  },
  { name: "24: as 23", set: twentyFourth, atFirst: [18, 6, 0] },
  {
    name: "25: the kinds that the sixth set missed, and what lies near them",
    set: twentyFifth,
    atFirst: [10, 13, 4],
  },
  {
    name: "26: in a stranger's manner; measured while `lexicon/6` was made",
    set: twentySixth,
    atFirst: [18, 22, 2],
  },
  { name: "27: what lies near Article 5; as 26", set: twentySeventh, atFirst: [25, 4, 2] },
  { name: "28: Article 5 alone; as 26", set: twentyEighth, atFirst: [0, 22, 0] },
  { name: "29: a little of everything; as 26", set: twentyNinth, atFirst: [19, 5, 3] },
  { name: "30: as 28", set: thirtieth, atFirst: [3, 16, 0] },
];
