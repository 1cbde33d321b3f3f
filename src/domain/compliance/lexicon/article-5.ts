/** Article 5: practices that are prohibited. */
import type { biometricConcepts } from "./biometrics.ts";
import { AT_SCHOOL, AT_WORK, type LexiconRule, POLICE, words } from "./phrases.ts";

export const article5Concepts = {
  hidden:
    words(`subliminal*, inaudibl*, below .. threshold, beneath .. threshold, under .. threshold, imperceptib*, unperceiv*, manipulative, manipulat*
    users, manipulat* people, manipulat* customers, manipulat* players, manipulat* shoppers, psychological manipulation, deceptive*, dark pattern*,
    hidden message*, hidden cue*, hidden signal*, hidden stimul*, hidden sound*, too fast to, too brief*, too quick*, too short to, so briefly, so
    fast that, so quietly, flashes .. milliseconds, frames of a few, without .. noticing, without .. aware*, without .. knowing, without ..
    realising, without .. realizing, unconscious*, subconscious*, not consciously, perceives consciously, perceive consciously, unaware, cannot
    notice, cannot perceive, nobody notices, nobody perceives, no one notices, do not notice, don't notice, does not notice, beyond .. awareness,
    bypass* .. awareness, covert persuas*, whispers, covertly, cues they are not aware, not aware of, without being aware, unknowingly, hidden ..
    cue*, below perception, below the level of, outside .. awareness, outside conscious, beyond conscious*, not perceptible, cannot be heard, cannot
    hear, not hear, barely audible, ultrasonic, ultrasound, infrasound, single frame*, flicker*, flash for, flashes for, flashed for, backmasked,
    binaural, hypnot*, trance, consciously hears, consciously sees, consciously hear, no listener, no viewer, nobody hears, nobody sees, nobody can
    hear, unheard, do not perceive, not perceive, does not perceive, in a pattern that, conscious perception, below conscious, at 14 ms, ms in the
    video, embedded at, subaudible, sub-audible, hidden in the sound, not noticeable, unnoticeab*, for twelve milliseconds, hidden in music, hidden
    in video, hears consciously, hear consciously, heard consciously, sees consciously, seen consciously, perceived consciously, consciously
    perceive*, hidden sounds, a few milliseconds, few milliseconds, sub-threshold, subthreshold, between frames`),
  harm: words(`buy*, harm*, behavio*, purchas*, act against, spend*, order things, addict*, gambl*, hurt*, ruin*, bet, bets, betting, self-harm,
    suicid*, debt, against their interest*, against their own, impair*, donate, keep playing, keeps playing, losses, cannot afford, can't afford,
    afford, exhaust*, overeat*, eat more, borrow, subscribe, hand over, risky, stay longer, keep scrolling, give up, crave, overbuy*, pills,
    overdose, starv*, alcohol, broke, until they are broke, bankrupt, bankruptcy, keeps them betting, lose money, lose everything, stake more, more
    than they can, can pay, than they have, overspend*, order more, drink more, more drink, good for them, good for him, good for her, than they
    own, whatever it costs`),
  /** Lies and pressure by which somebody is moved, told of the system itself. */
  deceive:
    words(`deceiv*, to deceive, gaslight*, false identity, false name, false romance, fake romance, fake friend*, poses as, posing as, pretends to
    be, pretending to be, pretends that, misleading*, mislead*, misinform*, false scarcity, fake scarcity, false urgency, fake urgency, invented
    review*, fake review*, invented deadline*, fake deadline*, fake countdown*, countdowns, hides what it is, hides that it, wears down, wearing
    down, wears their, wears his, wears her, manipulat*, twisting, twists, wins the confidence, wins their confidence, gains the confidence, gains
    their trust, wins their trust, builds false, false intimacy, feigns, feigned, tells lies, lies to, lies work, which lies, tells untruths, tricks
    .. into, tricks people, hoodwink*, bamboozl*, love bombing, brainwash*, fabricated, fabricates, made-up stories, invented facts, undermines
    their, undermines his, undermines her, breaks their will, breaks down their, erodes their, saps their, emotional blackmail, guilt-trip*,
    impersonat* .. relative*, voice of a grandchild, dark pattern*, confuses them, confuses users, confusing menus, wears .. down, fake profile*,
    claims to be, claiming to be, true or not, true or false, hides from its users, hides from users, hides from people, hides from them, without
    telling, pretext, disguised as, disguises itself, false promise*, false hope*, false claim*, false news, bluff*, untrue, cognitive bias*,
    irresistibl*, persuasion module, persuasion engine, believe it is human, believes it is, in trouble and, counterfeit voice, cloned voice,
    emotional pressure, plays on, feigning, deceptive*, scares them, scares users, to mislead`),
  /** What becomes of those who are deceived. */
  to_harm:
    words(`ruin*, savings, inheritance*, pensions, harm*, suicid*, against their interest*, against his interest*, against her interest*, against
    their own, never have signed, never have bought, never have taken, never have made, never have agreed, would otherwise refuse, would otherwise
    have, would not otherwise, whatever it costs, whatever the cost, lose their, lose his, lose her, moving .. money, move .. money, send .. money,
    transferring, transfer money, worthless, refuse a treatment, refuse treatment, stop taking, stop their treatment, skip their medicine, more than
    they own, more than they can, more than he can, into debt, sign away, signing away, sign over, signing over, accounts of ours, into investing,
    bankrupt*, no longer cancel, cannot cancel, do not cancel, addict*, starv*, injur*, hurt*, detriment*, expense of, overpriced, to their cost,
    bleed them, empties their, empty their, sell their house*, life savings, hand over, give up their, wired the money, wire the money, wires the
    money, wire money, damage their, damages their, damage his, damage her, give up the, keeps him alive, keeps her alive, keep them alive, lose
    money, spend all, all their money, all his money, all her money, part with, isolates them, isolate them, cut off from, self-harm, their ruin, to
    ruin, take on debt, take on loans, ruinous, retirement money, expect to collapse, collapse, useless remedy, instead of going to, useless`),
  /** Somebody is brought to do something, and what it costs. */
  brought_to:
    words(`until they, until she, until he, so that they, so that he, so that she, into buying, into paying, into signing, into giving, into
    sending, into taking, persuad*, makes them, make them, make people, makes people, brought to, bring them to, brings them to, get them to, gets
    them to, get people to, gets people to, talk* .. into, talk* .. out, lure*, and so sells, will give up, will hand, to sign, to buy, to pay, to
    invest`),
  loss: words(`money, savings, loan, loans, contract, contracts, sign, signs, invest, invests, fund, remedy, treatment, medicine, operation, operations,
    debts, debt, pension, deposit*, insurance, cures, house, houses, vote, health`),
  /** Who finds liars and warns of them. */
  guardian:
    words(`scam detect*, detects scam*, detect scam*, recognises scam*, recognizes scam*, fraud detect*, detects fraud*, detect fraud*, anti-fraud,
    fraud prevention, warns .. of, warns customers, warns users, warns people, protects people, protects users, protects customers, protects ..
    from, protects .. against, blocks scam*, filters scam*, phishing, spam, moderates, fact-check*, disinformation detect*, whether .. deceiv*, who
    deceive*, detects .. deceiv*, detects .. manipulat*, detects .. mislead*, flags .. mislead*, flags .. manipulat*, finds .. fake, detects ..
    fake, flags .. fake, removes .. fake`),
  vulnerable:
    words(`child, children, minors, kids, kid, toddler*, infants, teenager*, adolescent*, elderly, elders, pensioner*, old people, old person,
    seniors, dementia, alzheimer*, disab*, addict*, homeless*, in debt, in acute debt, indebted, heavily indebted, over-indebted, poverty, poor
    people, desperate, vulnerab*, learning difficult*, mental illness*, mentally ill, depressed, depression, lonely, loneliness, bereaved, grieving,
    unemployed people in, financial distress, in their distress, cognitive decline, cognitive impairment*, lost their job, lost her job, lost his
    job, despair, desperation, widow*, refugees, migrants, low literacy, sick people, gravely ill, terminally ill, new mothers, new to the country,
    manic, mania, bipolar, depressive, suicidal, psychotic, anorexi*, bulimi*, drunk, pregnant teen*, grief, newly divorced, recently bereaved,
    jobless, low-income, illiterate*, confused, senile, hard of hearing, year olds, old lady, old ladies, old man, old men, old woman, old women,
    widowed, debtors, about to lose, just lost, under-age, underage, gambler*, do not grasp, cannot read, cannot understand, barely speak,
    intellectual disabilit*, autistic, down's syndrome, confusion, forgetful*, poorest, evicted, abused women, drug users, in mourning, mourners,
    under-sevens, schoolchildren, little ones, illiterate, money trouble*, financial trouble*, in trouble, hard times, short of money, need money,
    penniless, unable to pay, behind with, crisis, divorced, cancer, terminal*, insecure, low self-esteem, self-esteem, body image, newcomers,
    heartbroken, naive, gullible, credulous, slow learner*, simple-minded, blind people, deaf people, old age, over eighty, nursing home*,
    grandmother*, grandfather*, grandparents, retirees, severe illness, chronically ill, learning disabilit*, bereavement, orphan*, the weak,
    weakest, sleepless, in pain, withdrawal, alcoholic*, preschooler*, pre-schooler*, neediest, the sick`),
  exploit:
    words(`exploit*, persuad*, trick*, dare, dares, pressur*, press it into, presses them, press them, pushes them, push them, pushing them, lure*,
    luring, manipulat*, sell* .. expensive, overpriced, sign up, get them to, gets them to, talk* them into, prey*, take* advantage, taking
    advantage, coax*, cajol*, seduc*, entic*, hook them, keep them hooked, ruinous, usurious, high-interest, transfer money, hand over .. savings,
    give up .. savings, coerc*, goad*, egg them on, scare them, scares them, guilt-trip*, wheedl*, loot box*, builds up trust, wins .. trust, make
    them buy, makes them buy, to make them, so that they buy, sells them, sell them, get .. to buy, gets .. to buy, nudges them, nudge them, push ..
    into, pushes .. into, drive .. into, draws them into, draw them into, payday, pushes them into, extortionate, sign loans, rip-off, rips off,
    fleece*, swindl*, con them, dupe*, talk into, talks into, talked into, drain their, take their, offers credits, credits for gambling, offers
    loans, at the moment of weakness, moments of weakness, when they are weakest, weak moment*, sign away, signing away, sign over, signing over,
    otherwise refuse, moments of confusion, moment of confusion, until she gives, until he gives, until they give, card number, beg his, beg her,
    beg their, beg for, pester*, frightens, frighten them, frighten him, frighten her, frightening them, steers them into, steer them into, loans at, most desperate, hour at which, brings him back, brings her
    back, brings them back, bring them back, keeps them playing, cannot think, starve themselves, hurt themselves, harm themselves, cut themselves,
    unsuitable loans, useless policies, useless insurance, unneeded, gamble, gambles, gambling, into signing, neither need, neither need nor,
    ruinous interest, sells them .. pills, slimming pills, pushes loans, push loans, miracle cure*, quack*, at their lowest, feel ugliest, feels
    ugliest, when they are least, least able, cannot say no, cannot resist, will sign anything, scam*, con men, trap them, traps them, lock them
    into, locks them into, pay too much, charge them more, more than others, presses it, presses him, presses her, press .. to buy, neediest, how
    desperate`),
  /** Who cannot defend himself, found to be sold something. */
  frail:
    words(`dementia, demented, alzheimer*, confused, confusion, cognitive decline, cognitively, desperate, despair, neediest, addict*, grieving,
    grief, bereaved, widowed, lonely, loneliness, illiterate, learning disabilit*, intellectual disabilit*, mentally ill, mental illness*, suicidal,
    depressed, manic, cannot say no, terminally ill, low self-esteem, weakest moment*, homeless`),
  single_out:
    words(`single* out, recognis*, recogniz*, detect*, notic*, spots, finds, find, scores, targets, target, picks, selects, identif*, looks for,
    searches for, ranks, learns when, knows when, chooses, from .. speech, from .. voice, filters`),
  sell_them:
    words(`sells, sells him, sells her, sells them, sell him, sell her, sell them, sales call*, subscription*, third insurance, dear credit,
    ruinous*, gems, pills, adverts for, gambling, casino, bets, upsell*, loot, lottery, magazines, funeral plan*, reverse mortgage*, annuity,
    payday, timeshare*, donation*, high-interest, contracts`),
  social_score:
    words(`social scor*, social credit scor*, social credit system*, social credit, citizen score*, citizen scor*, civic score*, civic rating*, civic
    credit*, points for .. behavio*, scores citizens, rates citizens, rating of citizens, trust score for citizens, trust score of every, trustworth*
    .. social, trustworth* .. online, trustworth* .. lifestyle, trustworth* .. neighbour*, reputation score* .. citizen*, social reputation, ranks
    citizens, citizens by trustworthiness, trustworthiness of citizens, trustworthiness of residents, citizen trust, citizen ranking*, citizen index,
    good citizen, civic virtue, civic merit, civic reliability, civic loyalty, loyalty score*, loyalty index, neighbourliness score*, neighbourliness index, decency score*, virtue score*, virtue index, morality score*, moral score*, social mark, social index, trustworth* .. behavio*, trustworthiness score*, behaviour score for, social behaviour score, social ranking`),
  /** Who is anybody, and not an employee, a customer or a pupil. */
  townspeople:
    words(`citizen*, inhabitant*, resident*, population, townspeople, every person, each person, everybody, everyone, households, neighbours,
    neighbors, tenant*, individuals, people, villager*, townsfolk, society, what people, whoever, whom they, data on citizens, guests, members of
    the public, a person is, what a person, how decent, person's`),
  conduct:
    words(`behav*, conduct, daily life, everyday life, lifestyle, life style, online posts, posts on, posts and, friends, social life, social media,
    who is rude, rude online, in public, with neighbours, towards neighbours, neighbourhood, fines, jaywalk*, littering, volunteer*, purchases,
    shopping habits, shopping and, trustworth*, good deeds, bad deeds, civic, traffic fines, social behaviour, social behavior, neighbourly, parking
    tickets, internet searches, browsing, what they post, what they buy, what people post, whom they meet, how they drive, gossip, drive, shop,
    speak of the government, speaks of, speak about the government, loyalty, patriot*, attendance at, go to church, whom they know, rubbish sorting,
    recycling behaviour, noise complaints, litter, good and bad behaviour, good behaviour, bad behaviour, contacts of, whom they, travel and, debts
    and, manners, decency, private life, private lives, leisure habit*, acquaintances, dating site*, dating app*, gyms, friendships, church
    attendance, choice of friends, circle of friends, social circle*, their posts, online comments, tidiness, politeness, personal traits, social
    networks, decent, how they live, how people live, how he lives, bad company, company they keep, critical posts, way of life, personality, manner
    of living, swearing, gym visit*, gym, complaints, church, political posts, whom one meets`),
  tally:
    words(`points, score*, scoring, rating*, rates, rate, rank*, credits, stars, grade, grades, index, trustworth*, tally, trust figure, figure,
    number, our points, one number, single number, merged to one, mark, marks, civic value, value, character rating, reputation, standing`),
  setback:
    words(`refus*, den*, punish*, depriv*, exclu*, lose*, losing, detriment*, block*, restrict*, disadvantage*, worse, banned, bars them, barred,
    shut out, may no longer, no longer, waiting longer, last in line, end of the queue, slower, cut off, evict*, lower priority, higher fees, pay
    more, pays more, cannot book, cannot rent, cannot travel, kept out, privilege*, are denied, is denied, deny*, turned away, not allowed, may not,
    forbidden, cannot get, less, fewer, dearer, if they may, whether they may, who may, may travel, served last, come last, last at, at the end of,
    wait, may not leave, leave the country, at the bottom, bottom of, last place, shut out of, travel ban, no passport, gets no, get no, receives
    no, receive no, no childcare, no place, no longer gets, no flat, no loan, is low, are low, lower-ranked, low-scoring, waits, pays a, access to
    schools, depends on it, access depends, access to loans, depends on the number, depends on the score, depend on it, depends on this, turn them
    away, turns them away, bar guests, bars guests, bars people, bars low, bar people, passed over, shunned, ineligible, without access, no access,
    loses access, lose access, bars those, bars him, gets neither, get neither, end of every, loses the right, lose the right, put last, put at the
    end, comes last, worse treat*, treated worse, not served, cannot buy, cannot board, means no, gets worse, with grade d, lose their, must move,
    are moved`),
  crime:
    words(`crime*, criminal*, offence*, offense*, offend*, re-offend*, reoffend*, felon*, delinquen*, break the law, thief, thieves, terrorist*,
    steal, murder*, burglar*, robber*, arsonist*, rapist*, violent act*, shoplift*, steals, commit fraud, commits fraud`),
  foresee:
    words(`predict*, foresee*, forecast*, likel*, risk*, who will, whether .. will, will turn, will become, going to, will commit, future, prone,
    propensity, anticipat*, estimat*, potential, probab*, chance, chances, odds, assess*, whether he will, whether she will, whether they will, will
    offend, become criminal, becomes criminal, turn criminal, born criminal*, names future, who is going, before she has, before he has, before they
    have, turn to crime, turns to crime, turn to`),
  trait:
    words(`personality, profiling alone, profile alone, solely .. profil*, purely .. profil*, merely .. profil*, nothing but .. profil*, character
    profile, psychological profile*, personal traits, character traits, character alone, traits alone, physical appearance, facial features, face
    alone, shape of .. skull, only .. profil*, nationality, place of birth, was born, birthplace, number of children, type of car, family
    background, where they live alone, skin colo*, religion alone, ethnicity alone, face and origin, person's face, origin alone, face and
    background, skull, from faces, from a face, shape of the face, from the face, horoscope, star sign, posture alone, gait alone, looks alone,
    temperament and looks, from temperament, temperament*, district alone, family and district, neighbourhood alone, demographic profile,
    demographics alone, demographic data alone, demographic alone, questionnaire on character, personality questionnaire*, personality test*,
    character test*, nothing else, traits only, profile only, only the profile, name and address alone, address alone, postcode alone, age and
    neighbourhood, upbringing, astrolog*, handwriting alone, on character traits, without any record`),
  /** What somebody is, and not what he did. */
  profile:
    words(`age, looks, character, temperament*, personality, place of residence, where he lives, where she lives, where they live, neighbourhood*,
    district*, family, origin*, nationality, religion, income, psycholog*, face, faces, postcode*, education, hobbies, upbringing, clothes, tattoo*,
    traits, appearance, demographic*, lifestyle, parents, accent, music, friends, profile, profiles, profiling, questionnaire*, gender, sex`),
  solely:
    words(`alone, solely, merely, purely, exclusively, nothing but, nothing else, only by, only from, only on, just from, nothing he has, nothing
    she has, nothing they have, has done nothing, have done nothing, before he has, before she has, before they have, no record, clean record,
    without any record, without a record, no facts, no suspicion, without suspicion, without any suspicion, without facts, never been suspected, no
    offence, never offended, unblemished, innocent, with no previous, no previous`),
  objective:
    words(`case file*, objective*, verifiable fact*, evidence, criminal activity, facts linked, facts of the case, previous arrests, past convictions,
    previous convictions, criminal record*, not solely, convictions, drug tests`),
  scrape:
    words(`scrap*, crawl*, harvest*, collect*, download*, gather*, trawl*, hoover*, vacuum*, siphon*, mass copy, copies .. from, grab*, pull* ..
    from, spider*, amass*, take* .. from, scour*, sweep*, assembled, assembles, compile*, compiling, without consent, bulk, automatically collect*,
    copied, have been copied, copying, taken from, copies every, copies all, copies any, copies profile*, saves every, saves all, are saved, stores
    every, finds on, pulls every, indiscriminat*, untargeted`),
  open_web:
    words(`social network*, social media, internet, the web, websites, web pages, open web, world wide web, the net, online, public profile*,
    instagram, facebook, linkedin, tiktok, youtube, vkontakte, twitter, public sites, photo sharing, dating site*, dating app*, news sites, public
    web, flickr, snapchat, blogs, blog, forums, forum, company sites, company websites, photo-sharing, feeds of public, public camera*`),
  /** Taken in bulk, wherever it is found. */
  scrape_bulk: words(
    `scrap*, crawl*, harvest*, trawl*, untargeted, indiscriminat*, amass*, hoover*, siphon*, as many face*, spider*, tapped, without any
    selection, without selection, everyone's face, all the faces, wholesale, by the million, by the billion, no target list, without any target`,
  ),
  camera_web: words(
    `cctv, surveillance stream*, surveillance video*, traffic camera*, city camera*, security camera*, webcams, public webcam*, public
    camera*, public livestream*, livestream*, public stream*, street camera*, municipal camera*, street webcam*, dashcam*, doorbell camera*`,
  ),
  face_base:
    words(`face recognition, facial recognition, face database*, faces database*, face picture*, pictures of face*, face image*, facial image*,
    facial database*, faces index*, as many face*, database of faces, face search*, face index*, face template*, faceprint*, faces .. index, faces
    of people, faces of everyone, biometric search, biometric database*, biometric index*, look up a stranger, stranger's face, portraits of
    everyone, photos of faces, recognition database, recognition index, recognition engine, identify strangers, faces from, faces that, every face,
    billions of faces, millions of faces, face data, facial data, face dataset*, face embedding*, facial template*, identify anyone, identifies
    anyone, find anyone by, search by face, by their face, recognises anyone, search engine for faces, search for faces, images with faces, pictures
    with faces, faces search, faces have been copied, face embeddings, recognition gallery, identity gallery, identification system*, identification
    gallery, identification database*, tells who, headshots, selfies, every portrait, index of faces, gallery of faces, collection of faces, search
    index, searchable index, searchable gallery, searchable database`),
  workplace: AT_WORK,
  at_school: AT_SCHOOL,
  /** Feelings of those whom people at work or at school meet, not their own. */
  audience:
    words(`customers' .. voice*, customers' emotion*, customers' mood*, customers' frustration, customers' feeling*, customer's .. voice, customer's
    mood, customer's emotion*, customer's face, customer's tone, the customer is, a customer is, customer gets, customers are, customers feel, customer feels, residents with, residents', resident's, of residents, caller is, callers are, caller's, callers', speaker is, shopper*, viewer*, cinema-goer*, cinemagoer*, guests are, visitors are,
    visitors feel, passenger*, spectator*, driver's, driver is, people calling, those who call, callers, patients, customers who, people who report, people who call, those who report, those who phone`),
  intimate_trait:
    words(`gay, lesbian, homosexual*, heterosexual*, bisexual*, queer, sexual orientation, sexual preference*, sexuality, sex life, political
    opinion*, political view*, political leaning*, political orientation, political conviction*, party .. support*, which party, politically, vote
    left, left or right, conservative or liberal, liberal or conservative, religio*, faith, christian*, muslim*, jewish, jews, hindu*, race, racial,
    races, trade union*, union member*, philosophical, belief*, ideolog*, believers, atheist*, left-wing, right-wing, left wing, right wing,
    communist*, nationalist*, democrat*, republican*, protestant*, catholic*, buddhist*, sikh*, unionis*, unioniz*, transgender, sexual identity,
    gender identity, straight or, votes for, who votes, voting for, whom they vote, vote for, voted for, party they, which church, which mosque,
    which faith, prays, abortion`),
  deduce:
    words(`sort*, categor*, classif*, infer*, estimat*, detect*, determin*, group*, guess*, predict*, tell, tells, tag, tags, deduc*, label*, deriv*, work*
    out, read*, find* out, establish*, conclu*, judg*, reveal*, presum*, identif*, recogni*, assign*, classed, divides, separat*, distinguish*`),
  biometric_input:
    words(`face, faces, facial, portrait*, photo*, selfie*, biometric*, fingerprint*, voice*, gait, iris, headshot*, profile picture*, camera image*, cameras
    sort, footage of, camera picture*`),
  live: words(`live, real-time, real time, all cameras, as they walk*, while they walk*, as people walk, as people pass, as .. pass, as .. stream in,
    while .. walks, while .. passes, instantly, at once, on the spot, on the fly, walks by, walk by, passer-by, passers-by, passersby, pass by,
    passes by, streams, streaming, as they pass, as they march, watch a demonstration, during the demonstration, demonstration, in the street, in
    the streets, in real-time, moving crowd, market square, town square, as they walk, on the move, passing through, body-worn, bodycam*, scan faces
    in a crowd, as travellers, as passengers, as commuters, as it happens, in public, public space*, public place*, public square*, square, squares,
    street, streets, boulevard*, avenue*, pavement*, promenade*, fan mile*, fan zone*, stadium*, marketplace*, market place, shopping street*,
    railway station*, metro station*, train station*, stations of, underground station*, festival*, concert*, carnival, fair, rally, rallies, march,
    marches, protest*, demonstrat*, crowd, crowds, whoever walks, whoever passes, everyone who passes, everybody who passes, anyone who passes,
    people outside, roaming, patrolling, overhead, in transit, park, parks, mall, malls`),
  scan: words(`identif*, recogni*, match*, compare*, comparing, re-identif*, walks in, spot*, find*, pick*, search*, put* a name, tells who, scan,
    scans, scanning, check*, against the list, watchlist*, look for, wanted, put names, puts names, names to, name, watch, watches, film, films,
    look up, warrants, names travellers, names passengers, names everybody, names everyone, names people, names persons, names pedestrians`),
  likeness:
    words(`face, faces, facial, iris, gait, biometric*, passer-by, passers-by, passersby, identification of, passers, marchers, protesters,
    demonstrators, identification of everybody, identification of everyone, recognise everybody, recognise everyone, names travellers, names
    passengers, names everybody, names everyone, names people, names persons, names pedestrians, name travellers, name passengers, name people,
    people walking by, pedestrians .. face, every face, name the people, names the people, name whoever, names whoever`),
  force: POLICE,
  /** Borders have a point of their own, files are no streets, and who unlocks a telephone says who he is. */
  elsewhere:
    words(`border*, frontier*, asylum*, visa*, after the fact, days afterwards, afterwards, recorded, archived, seized, hours of video,
    retrospective*, later on, unlock*, log in, login, own phone, own device, service phone*, judge's warrant, with a warrant, months after, weeks
    after, years after, days after, recordings, old footage, footage of, photo from, still from, stills from, passport control, airport,
    abduct*, kidnap*, missing child, missing children, missing girl, missing boy, only .. missing, solely .. missing, victim of human trafficking,
    victims of human trafficking, trafficking victim*, victim of trafficking, victims of trafficking, court has authoris*, court has authoriz*,
    court's authoris*, court's authoriz*, court authoris*, court-authoris*, authorised by a court, authorised by a judge, authorised by the court,
    authorised by the judge, judge has authoris*, judge has authoriz*, judge has allowed, judge has permitted, judicial authoris*, judicial
    authoriz*, authorisation of a court, authorisation of a judge, authorisation by a court, authorisation by a judge, authorisation of the court,
    imminent .. threat, imminent .. attack, threat of a terror*, terrorist threat, terror threat, article 5 2, fundamental rights impact`),
  intimate:
    words(`naked, nude*, undress*, nudif*, her clothes, his clothes, their clothes, without clothes, removes clothes, remove clothes, strips the clothes,
    strips clothes, unclothed, topless, intimate image*, intimate picture*, intimate photo*, intimate video*, sexually explicit, explicit image*,
    explicit video*, porn*`),
  real_person:
    words(`photo of, photos of, picture of, pictures of, any picture, any photo, images of, woman, women, girl*, someone, somebody, real person*, real
    people, actual people, ex-*, classmate*, colleague*, celebrit*, famous, person, people, neighbour*, neighbor*, actress*, singer*, without her
    consent, without consent, without their consent, pictures of women, of women, of girls, upload a, uploaded photo*, wife, teacher, acquaintance*,
    strangers`),
  child: words(
    `child, children, minor, minors, underage, csam, kids, teenager*, schoolgirl*, pre-teen*, toddler*, infant*`,
  ),
  abuse: words(`sexual*, abuse, porn*, csam, naked, nude*, erotic*, lewd`),
  make: words(`generat*, creat*, produc*, make, makes, making, show, shows, see her, see him, see them, see your, remov*, turn*, depict*, manipulat*, render*,
    synthesi*, fake, fakes, faked, draws, paint*, edit*, undress*, nudif*, alter*, transform*, strip*, swap*, put*`),
};

type Used =
  | keyof typeof article5Concepts
  | keyof Pick<typeof biometricConcepts, "emotion" | "emotion_system" | "sense" | "modality" | "medical">
  | "no_citizen";

const rule = (
  point: string,
  about: string,
  needs: readonly Used[],
  unless: readonly Used[] = [],
): LexiconRule<Used> => ({
  ...{ id: `art-5-${point}`, level: "PROHIBITED", provision: `Article 5(1)(${point})`, about, needs, unless },
  date: point === "ba" || point === "bb" ? "intimate-images" : "prohibitions",
});

export const article5Rules = [
  rule("a", "techniques that people do not notice, and harm", ["hidden", "harm"]),
  rule("a", "deceives or wears down, and harms", ["deceive", "to_harm"], ["guardian", "objective"]),
  rule(
    "a",
    "deceives, and brings to what costs",
    ["deceive", "brought_to", "loss"],
    ["guardian", "objective"],
  ),
  rule("b", "sells to the weak whom it finds", ["frail", "single_out", "sell_them"], ["guardian"]),
  rule("b", "exploits the vulnerable", ["vulnerable", "exploit"], ["guardian"]),
  rule("c", "social scoring", ["social_score"]),
  rule(
    "c",
    "behaviour in daily life scored, with a disadvantage elsewhere",
    ["townspeople", "conduct", "tally", "setback"],
    ["no_citizen"],
  ),
  rule("d", "crimes foreseen from traits alone", ["crime", "foresee", "trait"], ["objective"]),
  rule("d", "crimes foreseen from who somebody is", ["crime", "foresee", "profile", "solely"], ["objective"]),
  rule("e", "face images gathered from everywhere", ["scrape", "open_web", "face_base"]),
  rule("e", "face images gathered from everywhere", ["scrape_bulk", "camera_web", "face_base"]),
  rule("f", "emotions at work", ["emotion", "sense", "workplace", "modality"], ["medical", "audience"]),
  rule("f", "emotions in education", ["emotion", "sense", "at_school", "modality"], ["medical", "audience"]),
  rule("f", "emotions at work", ["emotion_system", "workplace"], ["medical", "audience"]),
  rule("f", "emotions in education", ["emotion_system", "at_school"], ["medical", "audience"]),
  rule("g", "sensitive traits from biometric data", ["intimate_trait", "deduce", "biometric_input"]),
  rule(
    "h",
    "live identification in public for law enforcement",
    ["live", "likeness", "scan", "force"],
    ["elsewhere"],
  ),
  rule("ba", "intimate images of real persons", ["intimate", "make", "real_person"]),
  rule("bb", "material of child sexual abuse", ["child", "abuse", "make"]),
];
