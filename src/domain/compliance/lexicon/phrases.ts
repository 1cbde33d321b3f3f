/**
 * How the words of the lexicon are written, and phrases that its files share. In a word `*` stands for any letters, `..` between words for up to
 * four others, a space for a hyphen or a slash, too.
 */

/** Several are separated by commas. */
export const words = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim().replaceAll(/\s+/g, " "))
    .filter(Boolean);

/** What a rule says of a description in which all of `needs` stand, and nothing of `unless`. */
export type LexiconRule<Concept extends string> = {
  id: string;
  level: "PROHIBITED" | "HIGH" | "LIMITED" | "MINIMAL";
  provision: string;
  /** The date of the edition from which it applies; undefined: no date, for it asks nothing. */
  date?: string;
  needs: readonly Concept[];
  unless?: readonly Concept[];
  /** `unless` counts wherever it stands, and not only near. */
  isShy?: boolean;
  /** Hints, none of which says much alone: two different ones have to stand there, too. */
  hints?: Concept;
  /** It counts where no other rule of Annex III or Article 5 does. */
  isFallback?: boolean;
  /** It counts for nothing where things alone are told of. */
  isOfPersons?: boolean;
  /** It counts only where nobody is named. */
  isOfThings?: boolean;
  /** In so many words at least, all told. */
  leastWords?: number;
  about: string;
};

/** A rule of a point of Annex III. Several rules may stand for one. */
export const annex3 = <Concept extends string>(
  point: string,
  about: string,
  needs: readonly Concept[],
  unless: readonly Concept[] = [],
  hints?: Concept,
): LexiconRule<Concept> => ({
  ...{ id: `annex-iii-${point}`, level: "HIGH", provision: `Annex III, point ${point}` },
  ...{ date: "annex-iii", about, needs, unless, isOfPersons: !point.startsWith("2") },
  ...(hints === undefined ? {} : { hints, isFallback: true }),
});

/** A thing is settled for somebody. */
export const DECIDE =
  words(`decid*, decision on, decision about, decisions on, decisions about, determin*, approv*, reject*, refus*, declin*, deny, denies, denied, denying,
    denial*, grant*, revok*, withdraw*, withhold*, admit*, disqualif*, eligib*, entitl*, qualify, qualifies, qualified, authoris*, authoriz*, turn*
    down, turn* away, weed* out, throw* out, knock* out, rule* out, green light*, say yes, says yes, says no, award*, assign*, allocat*, allot*,
    apportion*, hand* out, distribut*, gets which, get which, who gets, who is, who should, who may, who can, who will, who has to, who goes, who
    receives, whom, whose, whether, cut off, threshold*, hold back, lets in, let in, accept*, stop, stops, suspend*`);

/** Some are taken from among many. */
export const CHOOSE =
  words(`select*, choos*, chose, chosen, pick*, shortlist*, short list*, longlist*, screen, screens, screening, screened, filter*, sift*, sort, sorts,
    sorted, sorting, triag*, vet, vets, vetted, vetting, invite*, inviting, exclud*, narrow* down, discard*, drop, drops, dropped, dropping, whittl*,
    pre-select*, preselect*, prefer*, singl* out, top ten, top of the, on top, most promising, worth, right people, right person, best people,
    weakest, target*, match*, good fit, right fit, suit, suits, suited, suitab*, aptitude, compar*, preclude*, leave out, leaves out, put* forward`);

/** A value is put on somebody. */
export const RATE =
  words(`score, scores, scored, scoring, rank*, rate, rates, rated, rating*, grade, grades, graded, grading, mark, marks, marked, marking, evaluat*,
    assess*, apprais*, judge, judges, judged, judging, judgement of, gaug*, index, profil*, classif*, categor*, grouped, groups them, prioriti*, order
    of priority, order of merit, weigh*, measur*, quantif*, analys*, analyz*, examin*, review*, scrutin*, check, checks, checked, checking, verif*,
    interpret*, work* out, calculat*, comput*, percentage, percentile*, traffic light, colour saying, red amber green, benchmark*`);

/** Something is said of what somebody will do or be. */
export const FORESEE =
  words(`predict*, forecast*, foresee*, anticipat*, estimat*, expect*, likel*, probab*, chances of, chance of, chance that, odds, propensit*, risk*,
    prospect*, potential, going to, danger, dangerous, vulnerab*`);

/** Somebody or something is noticed among others. */
export const DETECT =
  words(`detect*, spot, spots, spotting, flag*, identif*, recogni*, infer*, deduc*, reveal*, discover*, uncover*, establishes, monitor*, track, tracks,
    tracked, tracking, watch, watches, watching, observ*, alert*, warn*, suspicious, find, finds, finding, notices, notif*, inconsisten*, contradict*,
    authentic*, genuine*, forged, forger*`);

/** The same in everyday words. */
export const IN_PLAIN_WORDS =
  words(`gives, give, given, puts, put on, put into, put to, knows, names, hides, hidden from, forwards, forwarded, passes on, let pass, lets pass,
    separates, divides, splits, ticks, points out, highlights, sums up, sniffs, sizes up, smells out, says, sees, brings up, moves up, moved up, goes
    to, go to, ends up, end up, stands between, worked out, is worked out, yellow, red, green, pile, heap, to the top, to the bottom, up front, last
    resort, opinion, verdict, impression, hunch, tendency, trust, trusted, honest, true, untrue, false, lazy, laziest, clever, gifted, talented, best
    to worst, best ones, good ones, bad ones, the good, the bad, wheat from the chaff, right one, wrong one, wise, worthwhile, deserve, deserves, need
    more, need less, piles, reads, read by, read overnight, read in, shown to, is shown, are shown, displayed, is displayed, are displayed, presented
    with, is presented, passed to, passed on, handed to, returned, is returned, computed, derived, attributed, clustered, grouped, annulled,
    annulment, certifies, is certified, are certified, certified as, yes and no, maybe, order of need, taken into account, used to, left out, let through, waved through, stopped at,
    put first, put last`);

/** A person is judged, not a thing watched: what hints of a field need beside them. */
export const JUDGING =
  words(`decid*, decision*, determin*, approv*, reject*, refus*, declin*, deny, denies, denied, grants, granted, turn* down, turn* away, admit*,
    eligib*, entitle*, qualif*, unqualified, allocat*, assign*, allot*, who gets, who is, who should, who may, who will, whether, if they may, if he
    will, if she will, select*, choos*, chosen, pick, picks, picked, shortlist*, screen*, filter*, sift*, sort, sorts, match, matches, drops, hides,
    blacklist*, exclud*, score, scores, scored, scoring, rank*, rate, rates, rated, rating*, grade, grades, graded, grading, mark, marks, marked,
    evaluat*, assess*, apprais*, judge, judges, judged, gaug*, profil*, classif*, categor*, prioriti*, weigh*, works out, estimate, estimates,
    predict*, forecasts, likel*, probab*, risk of, danger, suspicio*, flag*, detect*, deems, names the, yes or no, threshold, promot*, calculates,
    sets the, renews, analys*, analyz*, examin*, check, checks, checked, checking, compar*, measur*, monitor*, supervis*, depends on, depend on,
    depending on, points are given, gives points, awards points, figure, reliability, if the model, if our model, if the algorithm, believes,
    settled, settles, finds out, find out, infer*, warns, automated warning, how good, how well, how reliable, how likely, how strong, identif*,
    recognis*, recogniz*, listens to, accept*, offers, recommends whom, recommends which, suggests who, proposes who, proposes whom, proposes which,
    shortens, cuts, terminates, suspend*, remov*, block*, reads, spot, spots, spotted, what help, recommendation*, number between, are not opened,
    others wait, have to wait, matrix, learn who, learns who, know who, see who, sees who, shows who, tell who, who contributes, odds, suggested,
    pre-sort*, presort*, put into, puts them into, plausib*, trust value, served first, served last, sums up each, verdict, attributed, clustered,
    grouped, displayed, derived, computed, annul*, certif*, piles, presented with, lead to, leads to, in the order of, proposed, is decided, are
    decided, estimated, passed on, is given, are given, further bookings, readiness value, throughput, deviate*, indicator of, which of, which
    people, which person, which children, which pupils, which applicants, which one, which ones, which should, which may, which are, which is, and
    which, whom to, to whom, decides which, learns which, says which, tells which, chooses which, whose, ends the process`);

/** What of it may be said of a thing or of nothing: beside a field alone it is no judging. */
const VAGUE = new Set(
  words(`whose, displayed, computed, derived, offers, figure, matrix, reads, cuts, accept*, lead to, leads to, certif*, matches, match, detect*,
    check, checks, checking, analys*, analyz*, measur*, compar*, warns, spot, spots, remov*, block*, filter*, sort, drops, depend on, depends on,
    settled, settles, reliability, piles, clustered, grouped, throughput, suggested, is given, are given, proposed, suspend*, examin*, monitor*,
    supervis*, calculates, sets the, estimate, estimates, estimated, forecasts, predict*, classif*, categor*, infer*, identif*, recognis*,
    recogniz*, mark, marks, marked, renews, terminates, shortens, who will, danger`),
);

/** Somebody is judged or decided on: what a field that is only named needs beside it. */
export const PLAINLY_JUDGING = JUDGING.filter((phrase) => !VAGUE.has(phrase)).concat(
  words(`bins the, bottom, doctored, tampered, mature enough, good enough, by need, good for, bad for`),
);

export const ADVISE = words(`recommend*, suggest*, propos*, advis*, nominat*, steer*, hint*`);

/** Anything by which a person may be judged: enough beside words that belong to one field alone. */
export const DEEDS = [...DECIDE, ...CHOOSE, ...RATE, ...FORESEE, ...DETECT, ...ADVISE];

export const PEOPLE =
  words(`people, person, persons, individual, individuals, human beings, somebody, someone, anybody, anyone, everybody, everyone, each one, folks,
    citizen*, customer*, consumer*, client, clients, user, users, employee*, worker*, staff, applicant*, candidate*, student*, pupil*, patient*,
    tenant*, resident*, inhabitant*, household*, famil*, they, those who, men, women, man, woman, girl*, boy, boys, child, children, minors, members,
    subscribers`);

/** What befalls persons alone, whoever they are. */
export const FATE =
  words(`let go, fires the, fires those, fires him, fires her, fired, sacked, dismissed, dismisses, laid off, hired, hires, promoted, demoted, wage, wages, salary, salaries,
    who is let, who gets, who may, who should, who must, who is, who has to, the poor, town's poor, poorest, needy, slowest, laziest, hardest-working, vouchers, is admitted, are
    admitted, evicted, deported, arrested, punished, on credit, who works, who deserves`);

/** Where faces and gaits are seen. */
export const CAMERAS =
  words(`camera*, cctv, video*, footage, webcam*, surveillance, drone*, body worn, bodycam*, recordings, smart glasses, thermal tower*, film, films,
    filmed, lens, lenses`);

/** Whose feelings matter at work and at school. */
export const AT_WORK =
  words(`employee*, worker*, workplace, at work, boss, bosses, supervisor*, subordinate*, team leader*, team lead*, team member*, line manager*,
    shift lead*, colleague*, coworker*, co-worker*, personnel, our staff, the staff, staff are, staff is, staff who, staff member*, members of
    staff, staff's, call centre staff, call center staff, sales staff, nursing staff, the office, picker*, factory hands, call centre agents, call
    center agents, cashier*, workforce, job interview*, job candidate*, job applicant*, applicants, recruiter*, trainees, its drivers, company's
    drivers, our drivers, truck company, shop assistants, for the manager, the manager, managers, employer*, foreman, foremen, handlers, cleaners,
    waiters, nurses, docks their, bonus, bank clerks, clerks, bank clerk, waiter, waitress, drivers of, flight attendants, shop girls, sellers,
    salespeople, salesperson, receptionist*, teachers in, interviewee*, interns, shift workers, team meeting*, meetings, bus drivers, truck drivers,
    lorry drivers, taxi drivers, train drivers, delivery drivers, depot manager*, shift manager*, store manager*, branch manager*, head of
    department, couriers, each agent, call agents, telephone agents, packers, clerk, each clerk, agent is, an agent, desk camera*, team leader,
    typist*, secretary, secretaries, assistants, craftsman, operative, seamstress*, cooks, chefs, drivers for the, courier`);

export const AT_SCHOOL =
  words(`school*, classroom*, class, pupil*, student*, lesson*, universit*, lecture*, seminar*, teacher*, educat*, learner*, exam, exams, kindergarten*,
    e-learning, apprentice*, trainers, tutor, tutors, tutoring, course, homework, learning app*`);

/** The police and its like. */
export const POLICE = words(
  `police*, law enforcement, officers, constable*, detective*, patrol*, gendarm*, sheriff*, investigator*, prosecutor*, cop, cops`,
);
