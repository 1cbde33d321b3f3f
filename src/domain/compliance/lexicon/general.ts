/** What is in no list of the Act: well-known harmless uses, and the words that forbid to call a system harmless. */
import { FATE, type LexiconRule, PEOPLE, PLAINLY_JUDGING, words } from "./phrases.ts";

export const generalConcepts = {
  narrow:
    words(`narrow procedural, only converts, merely converts, only formats, merely formats, preparatory, turns unstructured .. structured, detects
    duplicate*, improves the wording, improves the language, already completed, decided already, has already decided`),
  profiling: words(`profil*, scor*, rank*, predict*, personality, behavio*`),
  /** Uses by what they are for. The list is closed: what stands in none of these lines is asked about. */
  harmless: [
    ...words(`spam, junk mail, junk e-mail, junk out of, phishing mail*, mailbox*, inbox*, layout of goods, bookshop, novel also, this novel, racing
    game, difficulty in, hobby, emails into folders, e-mails into folders, postcodes, vacuum-cleaning, robot vacuum, podcast*, steel sheets, metal
    sheets, sheet metal, potholes, rust, hull, hulls, snow plough*, trousers, shirts, shirt, outfit*, fashion, plastic waste, waste sorting,
    delivery time*, parcel tracking, holiday snaps, snapshots by, forecasts wind, clusters news, news by topic, library app, next book, e-book*,
    fishing, garden*, furniture, interior design*, knitting, baking, bread, beer, brewing, cheese, eggs, fish, strawberries, flowers, timber,
    sawmill, textiles, glass bottles, packaging, pallet, carton*, labels on, barcodes, solar output, heat pump at home, snowboard, ski, golf,
    tennis, football scores, trivia, karaoke, guitar, piano, computer opponent*, racing simulation, drop-off point*, what to cook, leftovers,
    grapes, commas, sunscreen, recommends podcasts, hikers, plants in, python program*, bugs in, asteroid*, stars by, operating instruction*,
    printing roller*, car paint, coffee, tea leaves, chocolate, wine, olive oil, recognises plants, recognises flowers, identifies plants,
    identifies birds, birds, insects, butterflies, trees in, cat breed*, pets, dog, dogs, cats, industrial oven*, machine tool, needs maintenance,
    compressor maintenance, elevator music, image editor, photo editor, similar songs, names mountains, mountains and, mountain peak*, constellation*, optical sorter*, counts how many people, how many people come in, how many visitors come, how many people enter, how many visitors enter, how many
    people are in, people come in per hour, people per hour, visitors per hour, footfall, people counter*, law journal*, page numbers, keyword finder*,
    terms occur, terms .. occur in published, counts how often the, lists the paragraphs, finds the phrases, lists the pages, screws, melons, fruit, vegetables, knots in, boats, kites,
    lego, toys for, birthday, wedding, holidays at, travel guide*, sightseeing, museum guide*, museum catalogue*, cinema programme, photo frame*,
    wallpaper, paint colours, interior colours, colour palette*, poems by, music theory, sheet music, crossword, crime novel*, novels to, sleepers
    before, railway sleepers, milk lorry, milk lorries, tour of a, buns, pastries, cakes, bricks, tiles, ceramics, paper rolls, cardboard, plastic
    parts, castings, forgings, wheels leave, paint defects, olives, berries, nuts, mushrooms, seeds, seedlings, plants need, watering, aquarium,
    terrarium, bird feeder, cat flap, robot mower*, lawn mower*, dishwasher*, washing machine*, oven, fridge, thermometer, telescope, wrote a model,
    beaches, role-playing game, enemy behaviour, advertising mail, moved to a folder, leaf disease*, vines, cut flowers, lenses, sports statistics,
    bird watch*, tonight's film, tonight's comedy, films for tonight, suggests films, suggests movies, suggests books, suggests songs, ones you
    liked, those that you liked, you liked before, earlier translation*, human translation*, translators' tool, translation memor*`),
    ...words(`computer game*, video game*, strategy game*, board game*, mobile game*, game engine, enemies in, non-player character*, npcs, chess, checkers,
    sudoku, card game*, game level*, puzzle*`),
    ...words(`recommends songs, recommends films, recommends movies, recommends books, recommends music, recommends wines, recommends recipes, next film, next
    song, next series, television series, tv series, playlist*, streaming service*, streaming platform*, films you, songs you, recipe*, wines, goes
    with a dish, wine list*, crossword*`),
    ...words(`spelling, spell check*, spellcheck*, grammar of, grammar and, and grammar, checks grammar, grammar check*, grammar in, typing error*, typos,
    better wording, text processor*, word processor*, punctuation, hyphenation, autocomplete*, autocorrect*`),
    ...words(`photos by, pictures by, holiday photo*, holiday picture*, sorts photo*, sorts pictures, photo album*, photo collection*, photo library, photo
    sorting, breed*, species, bird song*, mushroom*, plants from, plant disease*, wildlife`),
    ...words(`translat*, subtitl*, transcri*, minutes of meetings, ocr, scanned delivery note*, scanned invoice*, receipt into, receipts into, photographed
    receipt*, digitis*, digitiz*, speech to text`),
    ...words(`sales forecast*, demand forecast*, forecasts demand, demand for, will be sold, sold next, will sell, sells tomorrow, sells next, sales of,
    inventory, inventories, stock level*, stock of spare, restock*, reorder point*, shelf life, ice creams, croissants, seasonal demand, spare part*`),
    ...words(`shortest route, fastest route, route planning, plans routes, cheapest route, delivery van*, delivery route*, lorries, parcels in, parcels are
    loaded, pallets, packing, packs boxes, boxes in, container load*, loading plan*, container terminal*, truck load*, picking path*, warehouse
    layout, freight, logistics, shipment*, berth*, bin packing, cargo`),
    ...words(`cn code*, hs code*, tariff code*, customs tariff*, trade statistic*, trade balance*, customs data, export of, exports of, imports of, commodity
    price*, price of copper, price of oil, price of wheat, exchange rate*, convert* .. currenc*, monthly export*`),
    ...words(`scratch*, defect*, surface inspection, quality control, quality inspection, cracks in, for cracks, weld seam*, filling line, production line,
    conveyor*, machine tool*, printing press*, bearing*, vibration*, predictive maintenance, gearbox*, paper machine*, injection mould*, milling,
    assembly tolerances, solder*, scrap rate*, foreign bodies`),
    ...words(`crop, crops, yield*, harvest, weeds, weed control, sugar beet, wheat, maize, vineyard*, orchard*, greenhouse*, irrigat*, soil moisture, fertilis*,
    fertiliz*, tomatoes, apples, ripeness, ripe, livestock, cows, dairy, feed for, milk yield, tractors, tractor, satellite image*, beehive*, fish
    farm*, aquacultur*, pests, forest inventory, pigs, chickens`),
    ...words(`weather, rainfall, snowfall, wind speed, solar yield, solar panel*, solar park*, hail, tide*, sea level*, sailing, air pollution map*, pollen,
    avalanche*, hourly temperature`),
    ...words(`code completion*, source code, lines of code, compiler*, unit test*, software bug*, refactor*, pull request*, log files, network latency, server
    log*, database quer*, sql quer*, compress*, backup*, cache*, disk space, image resolution, video codec*, upscal*, background noise, removes noise,
    noise from, audio recordings, hiss, old recordings`),
    ...words(`deduplicat*, duplicate record*, duplicate invoice*, duplicate product*, entered twice, product catalogue*, product catalog*, catalogue of
    products, product search, product photo*, tags products, full-text search, search engine for documents, searches the documents, search ..
    documents, knowledge base search, bookkeeping, bookkeeper*, ledger*, accounting entries, invoices, invoice, expense report*, calendar entries,
    used tractors, used cars, antiques, stamps`),
    ...words(`astronom*, galax*, telescope*, protein*, molecul*, crystal*, particle physics, geolog*, mineral*, archaeolog*, fossil*, dna of plants, climate
    model*, chemical reaction*, alloy*, planetari*, seismogram*, meteorite*`),
    // What people do for themselves: crafts, collections, pictures, music, their own devices.
    ...words(`knitters, knitting, crochet*, swatch, stitch, stitches, sewing, sew, quilt*, embroider*, philatelist*, stamp collect*, perforation,
      numismat*, coin collect*, model train*, model railway*, woodwork*, carpentry as, antique*, hammer price*, auction house*, ironmonger*,
      hardware shop*, hardware store*, diy shop*, tool shop*, mountain shots, panorama*, tripod, landscape photo*, landscape picture*, image codec*,
      codec, codecs, file size, music app*, radio app*, queues pieces, queues songs, queues tracks, plays pieces, pieces from, songs like, tracks
      like, mail program*, e-mail program*, mail client, newsletters, separate tabs, separate folders, crash log*, drawing program*, cooking app*,
      recipe app*, gardening app*, plant app*, star app*, stargaz*, sky map*, birdwatch*, fishing app*, ski app*, jogging route*, hiking route*,
      cycling route*, running route*, board gam*, jigsaw*, crosswords, colouring book*, guitar tab*, tuner, tunes a guitar, chords, metronome*,
      karaoke, home brewing, aquarium*, terrarium*, houseplant*, house plant*, pot plant*, potted plant*, moisture probe*, robot hoover*, smart
      speaker's, weather app*, tide app*, sourdough, puzzle app*, strength of enemies, enemies, player's moves, opponent's moves, background noise,
      hiss`),
    ...words(
      `byte-similar, stored twice, by their bytes, duplicate files, identical files, files that are stored, disk space, backup drive*, search box,
        ranks the products, product ranking, spelling variants`,
    ),
  ],
  someone: [...PEOPLE, ...FATE],
  decided: PLAINLY_JUDGING,
  /** What is done to people, in words that no other rule has. */
  judge: FATE.concat(
    words(`score, scores, scoring, rank*, rates, rating, evaluat*, assess*, judges, judge, decide*, select*, profil*, classif*, categor*, monitor*, identif*,
    recogni*, sorts people, sorts folks, sorts .. who, sorts them, sorts out, who may, who gets, who is, eligib*, reject*, refus*, approv*, grant*,
    admit*, track*, watches, surveil*, exclud*, dismiss*, punish*, den*, predicts who, predicts which people, who will, suspicious, behaviour,
    behavior, account holder*, handlers, members, examinee*, prisoner*, passenger*, traveller*, travelers, visitor*, voters, refugees, parents,
    guests, residents, owners, participants, respondents, drivers, players, make people, makes people, make users, makes users, make customers, makes
    customers, make them, makes them, make listeners, makes viewers, make viewers, persuad*, influenc*, nudg*, lure*, luring, pushes, trick*, deceiv*,
    entice*, crave, addict*, unconscious*, consciously, whisper*, secretly, without their knowledge, subliminal*`),
  ),
  /** Nobody who is a citizen, a neighbour, anyone: those whom other points are about. */
  no_citizen:
    words(`employee*, worker*, courier*, riders, freelancer*, pupil*, student*, borrower*, job applicant*, staff, patients, players, gamers, members of the
    forum, sellers, hosts, applicant*, offender*, prisoner*, suspect*, claimant*, recipient*, passenger*, traveller*, voter*, policyholder*,
    candidates, driver*, subscribers, shoppers`),
  /** Fields of the Act by a single word each: where one of them stands, what is said about it is not known to be harmless. */
  field:
    words(`police*, criminal*, crime*, prison*, court, courts, judge's, judicial, tribunal*, law enforcement, detective*, evidence, suspects, asylum,
      migrant*, visa, visas, border, borders, refugee*, immigra*, passport*, embassy, voter*, vote, votes, election*, referendum*, political*,
      politics, school*, universit*, college*, pupil*, student*, exam, exams, essay*, homework, teacher*, classroom*, kindergarten*, nursery,
      thesis, diploma*, apprentice*, trainee*, learner*, education, admission*, enrolment, grades, graduat*, candidates, candidate, applicant*,
      applications, cv, cvs, résumé*, resumes, recruit*, hiring, hire, vacanc*, job, jobs, interview*, employee*, employment, worker*, staff,
      personnel, human resources, workforce, courier*, freelancer*, shift, shifts, promotion of staff, salary, wages, payroll, manager*,
      supervisor*, dismiss*, workplace, benefit claim*, welfare, pension*, allowance*, unemploy*, social security, social services, housing benefit,
      subsid*, municipal*, authorities, public authority, government, citizens, credit, creditworth*, loan*, mortgage*, borrower*, lend*, repay*,
      debt*, insurance, insurer*, premium*, policyholder*, bank, banks, emergency, ambulance*, 112, 911, 999, fire brigade, paramedic*, triage,
      patient*, hospital*, clinic*, doctor*, medical, diagnos*, disease of, health, therap*, medicine*, surgeon*, water supply, drinking water,
      waterworks, water network*, sewage, gas network*, gas supply, pipelines, gas pipeline*, oil pipeline*, water pipeline*, pipeline leak*,
      pipeline pressure, district heating, power grid*, grid, electricity, power plant*, power station*, substation*, high voltage, nuclear,
      reactor*, dam, dams, reservoir*, traffic, tunnel*, railway*, trains, aircraft, aviation, airport*, critical infrastructure, data centre*, data
      center*, internet exchange, utility, utilities, lift, lifts, elevator*, machinery safety, safety component*, safety function*, collision*,
      autonomous vehicle*, self-driving, face, faces, facial, biometric*, fingerprint*, iris, gait, emotion*, mood, moods, feelings, ethnic*, race,
      racial, religio*, gender, sexual*, disab*, child, children, minors, elderly, vulnerab*, addict*, gambl*, naked, nude*, porn*, manipulat*,
      subliminal*, personality, fraud*, surveil*, blacklist*, watchlist*, wanted, credibility, lie, lies, polygraph*, tenant*, landlord*, rent,
      weapon*, military, drone*, inspector*, hearing, hearings, burglar*, gang, gangs, thieves, sentence, sentences, testimony, nurses, carer,
      prosecut*, witness*`),
};

export const generalRules: readonly LexiconRule<keyof typeof generalConcepts | "thing" | "stuff">[] = [
  {
    ...{ id: "plain", level: "MINIMAL", provision: "no provision of its own", needs: ["harmless"] },
    about: "a well-known use in which nobody is judged",
  },
  {
    ...{ id: "things", level: "MINIMAL", provision: "no provision of its own", needs: ["thing"] },
    isOfThings: true,
    about: "things are counted, sorted or looked after, and nobody is judged",
  },
  {
    ...{ id: "things", level: "MINIMAL", provision: "no provision of its own", needs: ["stuff"] },
    isOfThings: true,
    about: "things are counted, sorted or looked after, and nobody is judged",
  },
];
