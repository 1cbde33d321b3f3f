/** Things that are counted, ordered, sorted or looked after, whatever house they stand in: where nobody is named beside them, nobody is judged. */
import { educationConcepts } from "./education.ts";
import { employmentConcepts } from "./employment.ts";
import { justiceConcepts } from "./justice.ts";
import { migrationConcepts } from "./migration.ts";
import { FATE, PEOPLE, words } from "./phrases.ts";
import { serviceConcepts } from "./services.ts";

/** Who looks after things, and where that is done. */
const KEEPERS = new Set(
  words(`staff, caretaker*, janitor*, gardeners, cooks, chefs, bakers, butchers, tailors, painters, technician*, mechanics, engineers, translators,
    interpreters, editors, researchers, scientists, academics, depot, fulfilment centre*, fulfillment center*, distribution centre*, distribution
    center*, assembly line, shop floor, shopfloor, shop-floor, colleague*, workplace, home office, hands, engineer*, developers, designers, kitchen
    staff, guides, labour, loader*, messenger*, plumber*, electrician*, carpenter*, roofer*, joiner*, fitter*, operators at, machine operator*,
    board member*, directors`),
);

export const thingConcepts = {
  thing: [
    // What a house uses up, washes, eats and drinks.
    ...words(`linen, laundry, laundries, towels, towel, bed sheets, uniforms are washed, soup, soups, portions, sandwiches, meals in total, litres
      of, vegetables, cutlery, crockery, meals, lunches, lunch, dinners, breakfasts, servings, dishes, menu, menus, food is, food waste, plates, coffee, tea urn*, drinks machine*, vending machine*, snacks, paper towels, toilet paper, printer paper,
      printers, printer, toner, cartridges, photocopier*, copiers, scanners, backup drive*, byte-similar, stored twice, servers, hard disks, screens
      are, projectors, desk lamp*, desk-lamp*, dimming, lux, water dispenser*, drinks dispenser*, jackets in bulk, sizes to keep, of each size,
      uniforms of each, boots of each, moisture probe*, pot plants, potted plants, tables and carpets, tables, carpets and lamps, banknotes per,
      files that are stored, ink cartridge*, copier*, copying paper, envelopes, stationery, light bulbs, batteries, detergent, soap, gloves, gowns,
      mops, kitchen, kitchens, vacuumed, hoovered, mopped, swept by, vacuum robot*, typewriter*, recycled glass, glass by colour, empty seats, change the oil, change .. oil, cleaning robot*, floor-cleaning, floor cleaning, cleaning rounds, robots mop, robots clean, robot mop*, robots sweep,
      corridors, battery charge, dirt level, atm, atms, cash machine*, cash point*, cashpoint*, cash dispenser*, cash demand, cash in .. machine*, notes
      each, paper jam*, print runs, printing office, print shop, wheelchairs in, walking frames, are painted, is painted, scaffold*, battery wear, electric scooters, charging cycles, potato*, light bulb*, charging point*, charging station*, fire extinguisher*, locker*, timetables are printed, copies of the timetable, leaflets to print, forms to print, lost-property, lost property, found bicycle*, suitcases,
      towels are, bed linen, light switches, water coolers`),
    // Houses and what is around them.
    ...words(`roof, roofs, roofing, gutter*, facade*, façade*, window cleaning, cleaning .. windows, boiler room*, radiators, flooring, carpet*,
      paint is, paintwork, plaster, damp, mould, elevator motor*, lift motor*, escalator*, solar panel*, rain barrel*, tower clock*, church clock*,
      clock tower*, pendulum, lawn*, grass, turf, hedge*, leaves fall, football pitch*, sports pitch*, playing field*, tennis court*, basketball
      court*, flower bed*, flowerbed*, courtyard*, moss, car park*, parking bay*, parking space*, parking lot*, free bays, bicycle rack*, bicycle
      stand*, waste containers, recycling bins, meeting room*, conference room*, free room*, lecture hall's, ventilation filter*, swimming pool's,
      thermostat*, hall has to be warm, meeting rooms, conference rooms, lecture halls are, rooms are heated, rooms are aired, rooms are lit, co2, air quality, lighting
      of, heating of, blinds, lamps, streetlamps, snow on`),
    // Vehicles and machines.
    ...words(`tyre*, tire wear, tires, brake pad*, brake disc*, brake wear, clutch wear, engine oil, oil change*, spare part*, lawn mower*, windscreen*, wiper*,
      garage needs, workshop orders, fuel consumption, pumps wear, bearings, light curves, spectra, telescope*`),
    // Paper, print and money as matter.
    ...words(`old map*, cadastral map*, paper map*, town map*, road map*, prints a map, charters, parchment*, manuscripts from, blank backs, blank
      pages, torn pages, book spines, bookbinding, copies of each title, copies of a title, copies of a novel, number of copies, how many copies, copies of each
      book, loans per title, library books, shelf space, shelving, typeface*, banknotes, bank notes, euro notes, torn notes, worn notes, coins,
      stamps, postcards, photographs of buildings, microfilm*, slides from`),
    // Goods, stuff, plants and nature.
    ...words(`umbrella*, leather, gravel, sand heap*, lego, candle*, pixels, bicycles, used bicycle*, used camera*, asking price, frame size, wine
      tank*, riesling, vintage*, vintages, ferment*, sugar-beet, sugar beet*, weed*, moths, mussels, honey, peppers, cucumbers, onions, herbs,
      cocoa, rice, grain, hay, wool, yarn, fabric*, hats, clay, mortar, concrete, marble, paint, paints, varnish, glue, foil, newsprint, variable
      stars, planets, craters, meteor*, tides, snow depth, pollen, shells, feathers, tree rings, tree trunk*, glacier*, erosion, river bank*, riverbank*, coastline*, sea ice, exoplanet*,
      supernova*, galax*, nebula*, comet*, asteroid*, sunspots, aphid*, mite, mites, fungus, fungi, mildew, tomato leaf, leaf disease*, on a leaf, caterpillar*, beetle*, locust*,
      plant pest*, pest, blight, water trees, trees in, age of trees,
      tree rings, rolls, loaves, cash paper, paper bands, scanned maps`),
  ],
  /** What else has no rights: goods, stuff, animals, sounds, the weather. */
  stuff:
    words(`apples, pears, plums, cherries, bananas, oranges, lemons, potatoes, carrots, cabbage*, lettuce, tomatoes, beans, lentils, salt, sugar,
    flour, dough, bread, rolls, loaves, cakes, biscuits, cookies, pizza*, pasta, noodles, butter, milk, yoghurt, ice cream, cheese, eggs, meat,
    sausage*, ham, tea, coffees, juice, lemonade, water bottles, beer, whisky, cider, wine, vinegar, olive*, nuts, seaweed, algae, moss, ferns,
    hedges, roses, tulips, orchids, bulbs, seeds, compost, mulch, peat, sheep, goats, hens, geese, ducks, turkeys, rabbits, bees, beekeepers,
    beehives, salmon, trout, shrimp, oysters, corals, whales, bats, owls, swallows, frogs, snails, deer, foxes, wolves, socks, buttons, zips,
    gloves, scarves, jackets, coats, dresses, curtains, pillows, mattresses, blankets, rugs, sofas, armchairs, chairs, cupboards, shelves, lamps,
    candlesticks, vases, plates, cups, glasses of, knives, forks, pots, pans, kettles, toasters, ovens, freezers, refrigerators, vacuum cleaners,
    drills, saws, hammers, nails, bolts, nuts and bolts, washers, springs, cogs, ropes, chains, sails, anchors, oars, skis, sledges, skates, balls,
    rackets, puzzles, dice, kites, balloons, fireworks, bells, organ pipes, violins, drums, trumpets, guitars, pianos, chords, melodies, tunes, hum,
    hiss, crackle, echo, recordings of concerts, vinyl, records of music, documentary for, documentaries, album, albums, sitcom*, cartoons,
    trailers, posters, typefaces, fonts, comics, postage, parcels, envelopes, sun lounger*, deckchairs, tents, caravans, pedal boats, canoes, rowing
    boats, ferries' decks, buoys, lighthouse*, dunes, cliffs, glaciers, snowdrifts, rivers' ice, rock samples, ores, sandstone, granite, slate,
    planks, logs, beams, veneer, plywood, sawdust, milling head, lathes, presses, looms, spindles, kilns, moulds, castings, dies, ingots, wires,
    copper, zinc, tin, steel coils, rubber, plastics, granulate, resins, dyes, inks, pigments, perfumes, soaps, shampoo*, bottle caps, corks,
    crates, sacks, barrels, drums of, tins, jars, cans, cartons, pallets, totes, shelf labels, price labels, layout of shelves, sand, dust, smoke
    of, exhaust gas, wallpapers, mosaics, frescoes, violins' varnish, coins, age of trees`),
  /** Houses, rooms and vehicles by the names of their fields. */
  house:
    words(`immigration office*, asylum office*, job centre*, tax office*, customs office*, revenue office*, town hall*, city hall*, staff lounge*,
      regional court*, district court*, court building*, police, police academy, police station*, police van*, police car*, police garage*, police
      horse*, court, courts, court's, court house*, courthouse*, prison, prisons, prison library, prison kitchen, prison laundry, school, schools,
      school building*, university, universit*, college*, academy, academies, kindergarten*, nursery, classroom*, exam hall*, hospital*, clinic*,
      health centre*, medical centre*, ward, ambulance*, fire brigade*, fire station*, bank, banks, bank headquarters, insurer, insurance company,
      municipal*, government, embassy, employment office*, job centre*, interview day*, staff canteen*, staff room*, staff car park, staff kitchen,
      staff restaurant, teachers' room, employee canteen*, employee restaurant*, workers' canteen, job lot*, airport*, railway*, trains, traffic
      noise, doctor's garden, doctors' car park, drone picture*, drone photo*, drone image*, drone footage, border of the field, lift, lifts,
      elevator*, candidate tiles, manager's car park, ministry, ministries, visitors' car park, patient kitchen, hospital kitchen*, school canteen*, hospital canteen*, prison canteen*, university canteen*, police canteen*, court canteen*, canteen, hospital's office*,
    hospital's garden*, hospital corridor*, hospital laundry, hospital's, school's, university's, bank's, police's, court's, police lost-property, police lost
    property, lost-property store, lost property office*, lost-property office*, our bank fills, our bank, rooms used by staff, used by staff, oil of the ambulance, rooms of the job centre, burglar-alarm*, burglar alarm*, police fleet*, fleet of the police, ambulance fleet*, prison's laundry, prisons' laundry, prison's kitchen, hospital's store, hospital's storeroom*, school's store, courthouse roof, court's garden, rooms of the courthouse, school bus fleet, staff toilets, candidate
    exoplanet*, candidate planet*, candidate star*, candidate galax*, candidate supernova*, candidate asteroid*, candidate comet*, exoplanet candidate*,
    for astronomers, owners' details, number plates aside`),
  /** Persons, and papers of one. */
  anybody: [
    ...PEOPLE.filter((word) => word !== "they" && word !== "user" && word !== "users"),
    ...FATE,
    ...employmentConcepts.worker.filter((word) => !KEEPERS.has(word)),
    ...educationConcepts.schoolwork,
    ...employmentConcepts.applicant,
    ...serviceConcepts.benefit,
    ...serviceConcepts.creditworthy,
    ...justiceConcepts.vote,
    ...migrationConcepts.migration,
    ...words(`waiter*, waitress*, chambermaid*, clerk, clerks, salesp*, workman, workmen, operatives, crew, crews, cashier*, mechanics, suspect*,
      prisoner*, inmate*, detainee*, offender*, driver, drivers, nurse, nurses, teacher*, learner*, trainee*, apprentice*, voter*, voters, witness*,
      claimant*, recipient*, borrower*, debtor*, visitor*, guests, passenger*, traveller*, rider*, courier*, picker*, packer*, cleaners, officers,
      refugee*, migrant*, asylum*, cv, cvs, résumé*, resumes, applications, essay*, exams, exam papers, homework, crime*, criminal*, offence*,
      evidence, face, faces, voice, voices, fingerprint*, loan application*, credit, benefits, claims, parents, boys, sick, injured, caller,
      callers, emergency call*, judges, judgment*, sentence, sentences, case file*, verdict*, whom, anyone's, colleagues, agents, sellers who,
      tenants, landlords, owners, players, personnel, gait, emotion*`),
  ],
};
