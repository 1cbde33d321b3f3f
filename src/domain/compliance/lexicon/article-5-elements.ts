/**
 * Article 5(1)(a) to (h) by the elements of each letter: a means, whom it meets, what comes of it. `article-5.ts` has the plainer words, on which these lists
 * build; here stand those that say little alone, so that a rule asks for one more of them.
 */
import { article5Concepts as plain } from "./article-5.ts";
import { biometricConcepts } from "./biometrics.ts";
import { AT_SCHOOL, AT_WORK, type LexiconRule, POLICE, words } from "./phrases.ts";

/** (a) and (b): what people are brought to do, and what it costs them. */
const COSTS = [
  ...plain.to_harm,
  ...words(`whole savings, all savings, saved, account is empty, accounts are empty, empty account*, empties the account, nothing left, last penny, last cent,
    last euro, last money, bank transfer*, transfer their, transfer his, transfer her, transfer money, transfer the, send money, sends money, sending money,
    hand over, hands over, cannot bear, cannot repay, never repay, cannot pay, unable to pay, can afford, cannot afford, over-indebt*, overindebt*, debt, debts,
    indebted, insolven*, destitut*, penury, poverty, homeless, collapse*, liver*, damage the, damages the, in hospital, hospitalis*, hospital admission, intensive care, sleepless,
    no sleep, without sleep, stay awake, stop eating, stops eating, starv*, fasting, malnourish*, chemotherapy, stop .. treatment, stopping .. treatment, stop .. medicine*, stop .. medication,
    refuse .. treatment, drop .. treatment, give up .. treatment, kill themselves, killing themselves, kill himself, kill herself, killing, suicid*, self-harm*, cut themselves, hurt themselves,
    harm themselves, injure themselves, break with, against .. interest, against .. will, against .. better judgment, overdose*, poison*, intoxicat*, binge*, gambl*, casino, bet, bets,
    betting, stake, stakes, wager*, worthless shares, worthless coins, fake shares, loans, loan, credits, instalment*, life insurance, mortgage*, pay day, payday, house, flat, inheritance,
    heirloom*, power of attorney, will in, testament, vote, votes, polling day, stay at home, stays at home, stay away, from voting, health, illness, drugs, pills, tablets, cigarettes, tobacco,
    alcohol, spirits, liquor, harm, harms, harmed, harmful, damage, damages, loss, losses, lose, loses, lost, ruin*, suffer*, exhaust*, burn out, worse off, far more than, more than they, waste their,
    sign away, never wanted, do not want, did not want, do not need, don't need, never need, would never, would not have, would have refused, overpriced, several times the`),
];

/** What somebody is brought to. */
const STEERED = words(`buy*, bought, purchase*, order, orders, ordering, pay, pays, paying, spend*, borrow*, take out, takes out, taking out, sign, signs, signing, subscribe*, bet, bets, betting, gambl*,
  stake*, wager*, play on, keep playing, keeps playing, go on playing, play longer, transfer*, send, sends, wire, invest*, donat*, hand over, give up, gives up, vote, votes, voting, click*, scroll*,
  agree*, consent*, accept*, drink, drinks, eat, eats, eating, smoke, smoking, stop, stay away, stay at home, stays at home, stay awake, make its, makes its, steer*, drive them, drives them, drives users, lead them, leads them, pull them,
  draw them, moves them, move them, make them, makes them, makes people, make people, makes users, makes customers, makes viewers, makes listeners, brings them, bring them, get people, gets people,
  get them, gets them, gets patients, gets customers, gets users, persuad*, induc*, seduc*, lure*, nudg*, push*, behav*, decid*, choose, choice*, cravings, crave*, impulse*, appetite, thirst, baskets`);

/** (e): faces as pictures. */
const PORTRAITS = words(`face, faces, facial, portrait*, selfie*, headshot*, head shots, heads, profile picture*, profile photo*, profile image*, pictures of people, photos of people, photographs of people, images of people,
  photographs, photos, snapshots, pictures of everyone, pictures of everybody, pictures of anyone, pictures of persons, pictures of users, images of persons, passport-style, mugs, mug shots, mugshots, likeness*`);

export const article5Elements = {
  below_notice: [
    ...plain.hidden,
    ...words(`hidden spoken, hidden command*, hidden instruction*, hidden image*, hidden frame*, hidden picture*, hidden slogan*, hidden suggestion*, hidden trigger*, hidden voice*, hidden word*, hidden tone*, masked under,
      masked by, masked in, masked with, masks .. under, buried in, buried under, murmur*, mutter*, too soft, too low to, too faint, too dim, too quiet, too small to, too weak to, too subtle, so faint, so soft, so subtle,
      so low, so short, of a second, milliseconds, thousandths, one frame, a frame, frames, hearing threshold, threshold of hearing, threshold of perception, threshold of awareness, perception threshold, register consciously,
      register them, registers them, knowingly, secretly raises, secretly steer*, secretly push*, secretly change*, secretly adapt*, secretly play*, secretly mix*, secretly lower*, secretly insert*, secretly slow*, secretly speed*,
      unbeknown*, escapes .. notice, escape .. notice, escapes attention, slips past, slip past, sneak* past, bypass*, get past, gets past, circumvent* .. will, under the radar, priming, primes, tachistoscop*, half-asleep,
      half asleep, while asleep, while they sleep, while .. sleeps, during sleep, in their sleep, invisible cue*, invisible prompt*, invisible pattern*, invisible frame*, invisible signal*, invisible light, hidden frequenc*,
      inaudible, undetected by, not realise, not realize, do not realise, don't realise, never realise, never notice*, hardly notice*, not notice, fail to notice, without .. noticing, nobody can see, nobody is aware, not conscious,
      subsonic, ultra-low, low-frequency, high-frequency, brain stimulat*, neurostimulat*, brainwave*, brain-computer, neural stimulat*, pulses, scent below, odour*, in the blink, no customer hears, no user hears, no one hears, nobody hears`),
  ],
  steered: STEERED,
  cost: COSTS,
  trickery: [
    ...plain.deceive,
    ...words(`invents a, invents an, invents the, invents that, inventing, adopts the voice, adopts the identity, in the voice of, with the voice of, imitates .. voice, imitating .. voice, imitates .. relative*, daughter's voice, son's voice,
      grandchild's voice, grandson's voice, mother's voice, boss's voice, voice of .. daughter, voice of .. son, voice of .. child, voice of .. grandson, voice of .. mother, voice of .. relative*, voice of .. boss, sobs,
      sobbing, pretend*, makes up a, making up, made-up, made up, the lie, a lie, lies, lying to, in the name of a, in the name of .. neighbour, under a false, under false, under the name of, simulates .. danger, simulates love, simulates affection,
      simulates a, bogus, sham, phoney, phony, hoax*, fib, fibs, trickery, tricks, ruse*, cheats, cheat them, fraudulent*, exploits .. fear*, plays with .. fear*, fear of, fears of, stokes, stirs up, sows, guilt, shame them, shames them, ashamed,
      wearing them out, wears them out, keeps at it, keeps calling, keeps on, does not let up, never lets up, until they give, until .. sign, until .. pay, until .. agree, until .. yields, nag, nags, nagging, badger*, harass*, browbeat*, intimidat*,
      threaten*, threat of, break with, break off, turn against, estrange*, isolat*, encourage .. thoughts, encourages .. thoughts, encourages .. suicid*, talks .. into, talk .. into, talking .. into, fake, fakes, faked, faking, forged, forges, counterfeit,
      false, falsely, untruth*, dishonest*, deceit*, deception, deceptive, misrepresent*, mislead*, manipulat*, dark pattern*, dark-pattern*, hidden fees, hidden cost*, hides the, hide the, hiding the, conceal*, obscur*, confus*, disguis*, masquerad*, scarcity,
      only .. left, countdown*, urgency, panic*, scare*, scaring, horror stories, blackmail*, extort*, emotional dependen*, dependent on it, emotional bond, falls in love, fall in love, in love with, romance, confidence trick*, groom*, brainwash*,
      indoctrinat*, radicalis*, hypnot*, conspiracy, rumour*, rumor*, slander*, break .. will, breaks .. will, break down .. resistance, breaks .. resistance, wear down, wears down, no way out, cannot leave, impossible to cancel, buries the cancel*, claims that, claiming that,
      claims to, flattery, flatters, flattering`),
  ],
  /** (b): who can defend himself less. */
  weak: [
    ...plain.vulnerable,
    ...words(`five-year-old*, six-year-old*, eight-year-old*, ten-year-old*, twelve-year-old*, year-old, year-olds, schoolgirl*, schoolboy*, pupils, teen, teens, youngsters, young people, adolescen*, girls, boys, toddler*, frail, aged, octogenarian*,
      care home*, nursing home*, single mother*, single parent*, widower*, given notice, notice to quit, just been dismissed, made redundant, unemployed, jobless, out of work, laid-off, on benefits, asylum seeker*, refugee*, undocumented, displaced,
      migrant*, do not understand, does not understand, cannot read, hardly read, poor readers, low education, uneducated, illitera*, foreign workers, seasonal workers, compulsive, problem gamblers, gambling problem, drinkers, alcoholic*, recovering, relaps*, quit,
      dependent on, deaf, blind, paralysed, wheelchair users, impair*, handicap*, down syndrome, learning difficult*, autis*, adhd, mental*, depress*, anxiety, suicidal, burnt-out, burned-out, traumatis*, traumatiz*, victims of, abused, battered, bereav*,
      mourn*, obituar*, widow*, grief, grieving, miscarriage, fresh divorce, divorcees, heartbroken, dying, the dying, hospice*, cancer, chronically, seriously ill, severely ill, insolven*, bankrupt*, overdraft*, overdrawn, arrears, bailiff*, evict*,
      foreclos*, pawn*, poor, poorest, low income, low incomes, impoverish*, rough sleepers, on the street, feels fat, feel fat, ugly, bullied, outsiders`),
  ],
  /** Their weakness is found and used. */
  weak_moment: words(`moment, moments, in the hour, hour in which, hour when, hour at which, at night, night, midnight, in the morning, minute, when they, when she, when he, when it, weakest, weakness*, weak, fear, fears, worry, worries, despair*, desperat*, distress, lonel*, sad, confus*, forgetful*, forget, give in,
      gives in, least resistance, resist*, no resistance, refuse, cannot refuse, do not understand, does not understand, not understand, understand less, seldom complain, rarely complain, never complain, do not complain, naiv*, trust, trusting, credul*, gullib*, impuls*,
      cravings, crave, relapse*, quit, stop, dependen*, need, needs, hardship, plight, shame, guilt, vulnerab*, target*, addresses, addressed, singles out, finds, find, spots, detect*, picks, learns, learnt, notices, notice, recognis*, recogniz*, knows, infers, ranks,
      pester*, beg, begs, nags, nag, promise*, dare, dares, challenge*, tuned, tailor*, adapts, optimis*, maximis*, exploit*, prey*`),
  to_their_loss: words(`unless .. buys, unless .. buy, sells them, sell them, sells .. to, presses, pressed into, talked into, talks them, talk them, talks him, talks her, talks .. into, persuades, persuade, lures, lure, luring, coaxes, coax, pushes, push, pressures, pressure, leads them to,
      lead them to, gets them, gets him, gets her, get them, makes them, make them, makes him, makes her, brings them to, trick*, dup*, rip-off*, unneeded, useless, worthless, expensive, dearest, overpriced, dear, ruinous, usur*, high-interest, per cent interest, % interest, instalments,
      payday, loan shark*, quick cash, instant loan*, bonus, free spins, free bets, loot box*, in-game, gold package, funeral package, annuity, annuities, funeral plan*, timeshare*, miracle, quack, cure, cures, pills, fasting, stop eating, diet, self-harm, cut themselves, choke, choking, dangerous, sign,
      signs, signing, signature*, sign over, hand over, giving their, identity card*, bank details, card details, card number*, account numbers, savings, deeds of, power of attorney, change .. will, four times, three times, twice as much, double the price, pay more, pay up, more expensive, higher price*, without
      the clause, worse terms, worse conditions, contracts that bind, bind them, bind him, below the minimum, labour contracts, donate*, donation*, subscription*, in-app, outfits, gems, coins, upsell*, gamble, gambles, gambling, betting, bets, casino*`),
  no_loss: words(`warns, protect*, prevent*, helps, support*, carer*, caregiver*, counsel*, advice, refers, hands over to a human, social worker*, remind*, therap*, teacher*, lesson*, creditworth*, approv*, eligib*, entitl*, repay*, default*, who gets it, applications, claims, triage, emergency`),
  /** (c): a life among others, of which two different things have to be named. */
  private_life: words(`neighbour*, neighbor*, gossip*, friends, friendship*, acquaintance*, company kept, company they, circle of, social media, social network*, posts, likes, comments, chats, chat groups, messages they, dating, club membership*, memberships, church, mosque*, mass, prayer*,
      religious service*, parade*, demonstration*, petition*, protest*, party meetings, volunteer*, voluntary, good deeds, donating blood, blood donation*, charity, courtes*, polite*, rude*, manners, greeting, greets, swear*, curs*, drunk*, drinking, loud music, noise, noisy, quarrel*, dispute*, littering,
      litter, dog fouling, dog mess, sorting waste, waste sorting, rubbish, recycling, garden*, tidiness, tidy, jaywalk*, red light*, crossing at red, parking, parking ticket*, traffic fine*, fines, unpaid bill*, bills, utility bill*, library, reading habit*, reads, books they, films they, video games, gaming, shopping,
      purchases, parcels, food deliveries, alcohol, cigarettes, gym, gyms, leisure, hobb*, way of dressing, dress, clothes, lifestyle, life style, way of life, way of living, daily life, everyday, everyday life, private life, family quarrel*, famil*, children's behaviour, upbringing, bus, public transport, travel*, behav*, conduct, decen*, virtue*, moral*,
      honest*, honour*, patriot*, loyal*, obedien*, civic, citizenship, good citizen*, criticism of, criticis*, mayor*, government, treat waiters, character, how people treat, treat others, ratings from, reputation*, reliab*, trustworth*, tipping, punctual*, electricity saving, energy use, smoking, divorce*, sexual*, relationships, browsing, searches, phone contacts, contacts, location*, whereabouts`),
  summed: [
    ...plain.tally,
    ...words(`barometer*, thermometer, summed, sums, sum of, adds up, added up, condens*, boil* down, distil*, merge*, combin*, weigh*, ledger, account of, credit points, plus points, minus points, penalty points, stars, star, gain, gains, lose points, loses points, bonus points, level, class a, class c, class d, classes,
      colour, green, red, badge*, category, list of, blacklist*, black list*, profile, trust number, trust value, trust index, trust score, decency, virtue index, character value, engine, letter grade, tier*, percentile*, status`),
  ],
  shut_out: [
    ...plain.setback,
    ...words(`turn away, turns away, turned down, turn down, rejects, rejected, bar, bars, barred, ban, bans, banned, blacklist*, dearer, more expensive, raise*, higher rent*, higher price*, higher premium*, higher deposit*, surcharge*, no passport, no visa, no council flat, no ticket*, no train*, no flight*, last, later, longer, decides on
      access, decide on access, decides who may, decides whether, access to, admission to, admits only, only those, only people, is given, are given, shuts, shut, kept from, keeps .. out, withheld, withhold*, withdraw*, stop*, cancel*, suspend*, throttl*, slow*, drop*, demot*, downgrad*, ineligib*, not eligible, cannot, can no, not get, not rent, not
      buy, not enter, not travel, not enrol, public jobs, lose .. right, loses .. right, smaller, reduc*, cut, cuts, worse, penalis*, penaliz*, sanction*, fewer hours, refused`),
  ],
  no_town: words(`employee*, worker*, freelancer*, pupil*, student*, job applicant*, job candidates, loan applicant*, borrower*, creditworth*, repay*, default*, patients, offender*, prisoner*, suspect*, asylum*, visa applicant*, at the border, policyholder*, risk of claims, claimant*, telematics, players, gamers, forum rules, moderat*, sellers on`),
  /** (d): what somebody may do, and what he is. */
  crimes: [
    ...plain.crime,
    ...words(`pickpocket*, arson*, dealer*, drug dealing, drug trafficking, drug offence*, kill, kills, killer*, robber*, rob, robs, robbery, theft*, dangerousness, dangerous person*, violence, violent, assault*, stab*, hooligan*, lawbreak*, law-break*, vandal*, troublemaker*, gangster*, gang member*, mugger*, fraudster*, swindler*, rapist*, molest*, sex offender*, terror*, extremis*, smuggler*`),
  ],
  foreseen: [
    ...plain.foresee,
    ...words(`how likely, likelihood, tomorrow's, next year's, before .. happens, before they act, before they strike, who will, will one day, one day, later in life, in later life, born to, disposition*, inclin*, tendenc*, label*, flags, names, says if, says whether, score*, points out, tells which, tells the, marks, marks as, list of, brand*, character of a, dangerousness, threat, pre-crime,
      precrime, preventive*, latent`),
  ],
  /** Two different ones, or one that is all there is. */
  who_one_is: words(`personality, personality inventor*, character, character test*, temperament*, impulsiv*, introver*, extrover*, neurotic*, psycholog*, traits, trait, looks, how they look, how he looks, appearance, face, facial, portrait*, skull*, build, physique, height, tattoo*, skin, hair, eyes, nationalit*, citizenship, origin, country of origin, country of birth, birthplace, place of
      birth, were born, was born, born in, ethnic*, race, religio*, faith, surname*, first name*, family name*, name and, mother tongue, accent, father's, mother's, parents, parents', siblings, brothers, family size, family background, upbringing, marital status, unmarried, number of children, home address, address, postcode*, street he, street she, street they, streets they, district*,
      quarter*, neighbourhood*, where they live, where he lives, where people live, residence, place of residence, age, gender, sex, income, debts, education, school leaving, schooling, job of, father's job, occupation, car brand, brand of car, type of car, music, musical taste, taste in, hobbies, clothes, clothing, star sign*, zodiac, horoscope*, handwriting, loneliness, lonely, diet, gait, voice`),
  /** What no fact of a deed is; two different ones suffice. */
  oddity: words(`personality, character, temperament*, impulsiv*, introver*, neurotic*, traits, looks, how they look, portrait*, skull*, build, physique, tattoo*, skin colo*, nationalit*, country of origin, country of birth, birthplace, were born, was born, ethnic*, religio*, surname*, first name*, mother tongue, accent, father's, mother's, parents, parents', siblings, family size, number of children, marital status, street he, street she,
      street they, where they live, where he lives, car brand, brand of car, type of car, musical taste, music, hobbies, clothes, star sign*, zodiac, horoscope*, handwriting, upbringing, school leaving, father's job`),
  nothing_else: [
    ...plain.solely,
    ...words(`nothing more than, nothing besides, no more than, inputs are, the only input*, sole input*, sole basis, only input*, uses only, used only, only uses, relies only, rely only, rests only, based only, based solely, is only, only traits, only from, only the, and that is all, that is all, no deed, no act, none of them has, none has, nobody has done, has not done, have not done, has never,
      have never, not yet done, without .. deed, without .. offence, without evidence, without grounds, just by, just from, just the, simply from, simply by, by looks, no previous, no prior, no earlier`),
  ],
  facts: [
    ...plain.objective,
    ...words(`conviction*, convicted, reoffen*, re-offen*, prior offence*, earlier offence*, previous offence*, breach*, probation, parole, arrested, reports of, earlier attacks, expert opinion*, expert's opinion, verified, witness statement*, threats made, in the case, crime scene*, recorded offences, found weapons, victim*, areas, places, locations, time of day, buildings, fraud detection, transactions`),
  ],
  /** (e) */
  gathered: [
    ...plain.scrape,
    ...words(`suck*, lift, lifts, lifted, ingest*, swallow*, devour*, slurp*, mined, mines, mining, fish* from, fished, bring* home, copy, cop* every, duplicate*, mirror*, import*, mass download*, cuts out, cut out, extracts faces, records the streams, records streams, tap, taps, tapping, empties, emptied, raid*, plunder*, skim*, pulled, pulls, pulling, pull, feeds on, fed from, sourced from, drawn from, drawn
      together, saved from, archived from, archive*, stores, stored from, takes whatever, is taken, are taken, taken wherever, found on, finds on, that it finds, it can find, come across, comes across, stumble* on, whatever, wherever, snatch*, acquire*, hoard*, pile up, piled up, millions of, billions of, billion, grows by, expand*, enlarge*, robots visit, bots visit, robots, bots, roams`),
  ],
  on_the_web: [
    ...plain.open_web,
    ...words(`web, dating portal*, portals, club pages, school pages, news pages, pages of, public pages, homepage*, home pages, social sites, sites, telegram, reddit, pinterest, photo platform*, video platform*, platforms, profiles, public accounts, open accounts, networks, social feeds, wedding pages, obituary pages, company pages, yearbook*, online album*, image search, search engine*, surveillance camera*,
      street camera*, street-camera*, shop camera*, public webcam*, webcams, cctv, security camera*, camera stream*, video archives, traffic camera*, dashcam*, doorbell camera*, live streams, livestream*`),
  ],
  portraits: PORTRAITS,
  found_by_face: words(`face recognition, facial recognition, recognition, recogniser*, recognizer*, recognise*, recognize*, recognising, identif*, database*, data base*, index, indexed, indexes, register, gallery, galleries, registry, template*, embedding*, vector*, faceprint*, search by, search service, search engine, searchable, searches by, face search*, look up, looked up, looks up, lookup, query, queries, queried,
      find anyone, find anybody, finds anyone, who it is, who that is, who somebody is, who someone is, a face instead, knows everyone, know everyone, names strangers, name strangers, put a name, puts a name, names anyone, name to, match a face, match any, match faces, matching engine, biometric, reference collection, catalogue of faces, unmask*, stranger*, passer-by`),
  indiscriminate: words(`scrap*, crawl*, harvest*, trawl*, untargeted, indiscriminat*, amass*, hoover*, vacuum*, siphon*, suck*, slurp*, ingest*, spider*, million*, billion*, en masse, mass download*, mass copy*, wholesale, in bulk, bulk, whatever, whoever, wherever, everything, all pictures, every picture, every portrait, every face, every profile*, every head, each head, all faces, any face, anyone's, everyone,
      everybody, without selection, without any, without asking, without consent, unasked, around the clock, day and night, no matter whose, no matter who, as many, robots, bots`),
  allowed_faces: words(`own photo*, own picture*, own album, own holiday, volunteers, with consent, consenting, who consented, licensed, paid models, own customers, own staff, suspect's, the suspect, of the robbery, one missing, missing person*, missing child*, face blurring, blurs, pixelat*, detects faces to`),
  /** (f) */
  felt: [
    ...biometricConcepts.emotion,
    ...words(`smile*, smiling, frown*, scowl*, warmth, glum, gloomy, downcast, dejected, downhearted, moodiest, moodiness, cheerful*, cheer, self-confidence, insecur*, enthus*, passion, disinterest*, disengage*, engagement, engaged, inwardly, inner, attentiveness, interest, interested, boring, yawn*, sigh*, tearful, tears, annoyed, annoyance, resent*, dislike*, sincer*, genuinely happy, zeal, fed up,
      temperamental, sentiment, sentiments, excited, confident, relax*, tired of, burnout, burn-out, well-being, wellbeing, emotional, attitude*`),
  ],
  told: [...biometricConcepts.sense, ...words(`count*, check*, listen*, listens for, mark, marks, marked, follow*, record*, display*, film*, looks for, compare*, weigh*, grade*, put* a figure, derives, deriv*, turns .. into, from .. voice, get*, receive*`)],
  read_from: [...biometricConcepts.modality, ...words(`lapel, badge, keyboard*, keystroke*, mouse movement*, typing, facial muscle*, muscle*, mimic*, hand tremor, sweating, eyelid*, tone of, headsets, earbud*, earphone*, glasses, smart ring*, chair sensor*, bio-signal*, skin`)],
  at_work: [
    ...AT_WORK,
    ...words(`agent's, agent's own, agents' own, hotline agent*, service agents, our agents, team lead, team leads, cash desk, till, tills, till girl*, cashier*, checkout staff, receptionist*, reception staff, warehouse hands, warehousem*, factory floor, assembly line, production line staff, home-office, home office, department head*, department manager*, hr, human resources, video meeting*, team call*, your people,
      your team, the team, our team, teams, crew*, stewardess*, cabin crew, hostess*, clerks, fewer hours, bonuses, promotion, foreman, crane operator*, labourer*, salesm*, saleswom*, shop assistant*, consultant*, bank teller*, tellers, nurses, doctors on duty, cooks, barista*, guards, porters, recruits, candidate, candidates, interviewer*, job talk*, probation period, apprentices, staff, subcontract*, riders, pickers,
      freelancers, drivers by, shift`),
  ],
  in_class: [...AT_SCHOOL, ...words(`blackboard, whiteboard, trainee*, child by child, driving school*, flying school, music school, instructor*, nursery, preschool*, playgroup*, day nursery, pre-school*, campus, professor*, examiner*, online class*, webinar for students, coach, tuition, learning platform*, cadets, undergraduates, freshmen, dean`)],
  no_feelings_of_theirs: [
    ...biometricConcepts.medical,
    ...plain.audience,
    ...words(`fatigue, sleepiness, drowsy, sleepy, falling asleep, fall asleep, microsleep*, customer on the line, customer's, customers', audience, moviegoers, cinema, market research, test persons, panelists, text of, in writing, written, survey, surveys, questionnaire*, game characters, players`),
  ],
  /** (g) */
  sacred: [
    ...plain.intimate_trait,
    ...words(`believer*, sex lives, gays, lesbians, homosexuals, trans, gender-queer, sexual preference*, sexual inclination*, sexual habits, faith, creed, denomination*, worship*, religious conviction*, political sympath*, political attitude*, political camp*, party preference*, party member*, probable party, union sympath*, union membership*, unionist*, organised labour, voting behaviour, voting intention*, votes for,
      supporter of .. party, opposition supporter*, dissident*, regime critic*, pro-government, anti-government, radical, racial origin, skin race, caste, islam*, jew, orthodox, evangelical, world view, worldview, nationalists, socialists, greens, anarchist*`),
  ],
  concluded: [...plain.deduce, ...words(`output*, return, returns, betray*, tagged, tagging, writes, write, note, notes, noted, says, say, see, sees, show, shows, score, scores, scoring, probab*, likelihood, likely, mark, marks, divides, split*, calculat*, comput*, spot*, find, finds, pick*, filter*, flag*, whether, assess*, measur*, rates`)],
  body_data: [...plain.biometric_input, ...words(`selfies, photograph*, pictures of people, profile pictures, iris pattern*, irises, eye scan*, palm*, vein*, ear shape, bone structure, skull*, cheekbone*, jaw*, physiognom*, fingerprint*, handprint*, heartbeat*, walk of, way of walking, walking style, voiceprint*, intonation, body shape, body scan*, brain scan*, eeg`)],
  no_conclusion: words(`church photo*, artwork*, painting*, election poster*, text of, speeches are, transcri*, translat*`),
  /** (h) */
  passing_live: [
    ...plain.live,
    ...words(`immediately, at the same moment, same moment, in the very moment, that very moment, moment, within seconds, in seconds, within a second, seconds later, instant, without delay, continuously, continuous*, constantly, permanent*, around the clock, all day, day and night, running feed, feed, feeds, stream, while driving, as they stroll, stroll*, walks through, walk through, walking, crosses, crossing, enters, pass, passes,
      passing, standing there, lamp-post*, lamp post*, street lamp*, bus station*, bus stop*, tram*, platforms, underground, subway, metro, trains, quay*, harbour, bridge*, pedestrian zone*, precinct, town centre, city centre, inner city, downtown, old town, market, markets, bazaar, christmas fair, fun fair, funfair, beach*, pool, stands, terraces, football match*, matches, arena, gates, entrance*, parade, procession*, crowds, queue, queues,
      bystander*, everyone, everybody, hovers, hovering, drone*, body camera*, body-camera*, glasses, helmet*, patrol car*, on the beat, open air`),
  ],
  faces_there: [...plain.likeness, ...words(`gaits, way of walking, who is standing, who is there, who crosses, who walks, who passes, who stands, who is in, who enters, identity card*, identity photo*, passport photo*, driving licence photo*, recognise people, recognises people, recognize people, recognise persons, recognises persons, recognises anyone, recognises everyone, recognise everyone, pedestrian*, marcher*, protester*, demonstrator*, bystander*,
      passers-by, people by, portraits, mug shots, mugshot*, person by person, biometric*, by name, names of, name of each, identif* .. people, identif* .. everyone, identif* .. pedestrians, identif* .. demonstrators`)],
  held_against: [...plain.scan, ...words(`scanned, scan*, call* out, recognition, knows who, know who, know .. who, say who, says who, say which, says which, tell which, tells which, show the name*, shows the name*, show their record, names appear, name appears, register, registers, watch list*, list of, lists of, blacklist*, database*, photo collection*, police collection, mug shot*, alarm*, alert*, hit, hits, run through, runs through, run against, runs against, held against, filter*, pull* out, take them out`)],
  the_force: [...POLICE, ...words(`security department of the city, city security, city guard*, town guard*, municipal guard*, order office, public order office, carabinieri, guardia, militia, interior ministry, ministry of the interior, security service*, secret service*, intelligence service*, state security, homeland security, special unit*, riot unit*, control room, operations room, command centre, command post, enforcement`)],
  not_live: [
    ...plain.elsewhere,
    ...words(`last month, last week, last year, yesterday, of the robbery, of a robbery, stored video, stored footage, from the archive, archive, recording of, recorded footage, past footage, hours later, next day, the day after, kidnap*, abduct*, hostage*, missing child*, missing person*, trafficking victim*, terror attack*, terrorist threat, terrorist attack, imminent, judicial authoris*, judge has, court order*, court has, authorised by a court, authorised by a judge, traveller's own,
      access control, own officers, own employees, staff entrance, station house, number plate*, licence plate*, counts people, counts how many, count people, headcount*, does not identify, vehicles`),
  ],
};

type Element = keyof typeof article5Elements | "guardian" | "profile";

const rule = (
  point: string,
  about: string,
  needs: readonly Element[],
  unless: readonly Element[] = [],
  hints?: Element,
): LexiconRule<Element> => ({
  ...{ id: `art-5-${point}`, level: "PROHIBITED", provision: `Article 5(1)(${point})`, about, needs, unless },
  ...(hints === undefined ? {} : { hints }),
  date: "prohibitions",
});

export const article5ElementRules = [
  rule("a", "steers people by what they do not notice, to their cost", ["below_notice", "steered", "cost"], ["guardian"]),
  rule("a", "tricks or wears people down, to their cost", ["trickery", "steered", "cost"], ["guardian", "facts"]),
  rule("b", "finds the weakness of the weak and uses it", ["weak", "weak_moment", "to_their_loss"], ["guardian", "no_loss"]),
  rule("c", "a life in figures, and what is refused for it", ["summed", "shut_out"], ["no_town"], "private_life"),
  rule("d", "crimes foreseen from what somebody is", ["crimes", "foreseen", "nothing_else"], ["facts"], "who_one_is"),
  rule("d", "crimes foreseen, and what somebody is suffices", ["crimes", "foreseen", "nothing_else", "profile"], ["facts"]),
  rule("d", "crimes foreseen from oddities", ["crimes", "foreseen"], ["facts"], "oddity"),
  rule("e", "faces gathered wherever they are", ["gathered", "on_the_web", "portraits", "found_by_face", "indiscriminate"], ["allowed_faces"]),
  rule("f", "feelings at work", ["felt", "told", "at_work", "read_from"], ["no_feelings_of_theirs"]),
  rule("f", "feelings in education", ["felt", "told", "in_class", "read_from"], ["no_feelings_of_theirs"]),
  rule("g", "what is sacred to somebody, from his body", ["sacred", "concluded", "body_data"], ["no_conclusion"]),
  rule("h", "whoever passes is known to the police at once", ["passing_live", "faces_there", "held_against", "the_force"], ["not_live"]),
];
