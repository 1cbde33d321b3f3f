/** Annex III, point 2: safety in the management and operation of critical digital infrastructure, road traffic, and the supply of water, gas, heating and electricity. */
import { annex3, words } from "./phrases.ts";

export const infrastructureConcepts = {
  infrastructure:
    words(`drinking water, tap water, potable water, water network*, water main*, water grid*, water suppl*, water treatment, water distribution,
    water utilit*, water tower*, water pressure, waterworks, water company, wastewater, waste water, sewage, sewer*, chlorin*, pumping station*,
    pump station*, gas network*, gas grid*, gas main, gas mains, gas pipe*, gas suppl*, gas distribution, gas transmission, gas storage, gas
    pressure, gas leak*, gas operator*, natural gas, compressor station*, pipelines, gas pipeline*, oil pipeline*, hydrogen pipeline*, water
    pipeline*, fuel pipeline*, pipeline pressure, pipeline leak*, pipeline valve*, pipeline operator*, pipeline segment*, pipeline section*,
    pipeline network*, gas utilit*, heating plant*, heating network*, heating grid*, district heating, district heat, municipal heat*, city's heat*,
    heat network*, heat suppl*, heating suppl*, boiler house*, steam network*, combined heat and power, chp plant*, power grid*, electricity grid*,
    electric grid*, electrical grid*, transmission grid*, distribution grid*, energy grid*, smart grid*, the grid, microgrid*, virtual power plant*,
    electricity network*, power network*, electricity suppl*, electricity transmission, electricity distribution, power plant*, power station*,
    power suppl*, power line*, power system*, transmission line*, transmission operator*, transmission system*, distribution system operator*,
    transmission system operator*, high voltage, medium voltage, low voltage, substation*, switchgear, circuit breaker*, transformer station*,
    transformers, feeder, feeders, load shedding, sheds load, load is shed, blackout*, brownout*, frequency control, frequency reserve*, protection
    relay*, hydroelectric, hydropower, nuclear, reactor*, energy utilit*, utility company, electricity compan*, turbine hall*, traffic light*,
    traffic signal*, signal control*, signal phase*, signal timing*, signalling system*, signaling system*, road traffic, traffic management,
    traffic control, traffic guidance, traffic system*, intersection*, crossroad*, level crossing*, railway crossing*, speed limit*, lane closure*,
    lane control, motorway*, highway*, road tunnel*, tunnel ventilation, tunnel control, tidal flow, ramp meter*, variable message sign*, gantries,
    bridge closure*, critical .. infrastructure, critical infrastructure*, digital infrastructure, internet exchange*, backbone network*, carrier's
    backbone, core network*, telecom* network*, telecom* operator*, mobile network*, 5g core, submarine cable*, undersea cable*, root server*, root
    name server*, domain name system, data centre*, data center*, cloud region*, reservoir, reservoirs, dam, dams, spillway*, floodgate*, flood
    gate*, sluice*, flood barrier*, storm surge barrier*, scada, industrial control system*, grid, emergency network*, fibre network*, booster
    station*, booster pump*, standby pump*, hydrant*, aquifer*, borehole*, well field*, water quality, water board*, water authorit*, water
    operator*, water provider*, drinking-water, district metering, pressure zone*, burst main*, treatment plant*, purification plant*, filtration
    plant*, storm water, stormwater, rainwater retention, dosing pump*, ozonation, lift station*, gas supplier*, gas provider*, gas company, gas
    works, gas turbine*, hydrogen network*, hydrogen pipeline*, methane leak*, pressure reducing station*, pressure regulating station*,
    regasification, gas field*, oil pipeline*, fuel suppl*, heat plant*, heat supplier*, heat station*, heat provider*, heating company, heating
    operator*, heating utility, boiler plant*, boiler pressure, steam suppl*, steam pipe*, geothermal plant*, waste-to-energy, heat exchanger
    station*, heat transfer station*, voltage, overhead line*, overhead cable*, underground cable*, busbar*, bus bar*, regional grid, national grid,
    rural grid, island grid, congestion management, balancing market, balancing energy, balancing power, control reserve, operating reserve,
    spinning reserve, inverters, battery storage plant*, grid-scale, wind park* .. grid, wind farm* .. grid, solar park* .. grid, peak load*, demand
    response, interruptible load*, kilovolt*, kv line*, 110 kv, 220 kv, 380 kv, generator set*, hydro plant*, hydro station*, thermal plant*, coal
    plant*, electricity provider*, electricity supplier*, energy supplier*, energy provider*, energy network*, energy infrastructure, energy suppl*,
    supply of power, supply of electricity, supply of gas, supply of water, supply of heat, public utilit*, municipal utilit*, local utilit*,
    control room*, load flow*, cooling circuit*, cooling pump*, cooling tower*, power outage*, outages, black start, smart junction*, junctions,
    junction, roundabout*, green time*, green phase*, green wave*, red phase*, red light*, signal head*, signal group*, traffic control centre*,
    traffic control center*, traffic centre*, traffic center*, traffic flow*, traffic jam*, traffic congestion, traffic operator*, vehicle flow*,
    lane assignment*, reversible lane*, bus lane*, hard shoulder*, ghost driver*, wrong-way driver*, wrong way driver*, toll plaza*, bridge control,
    drawbridge*, lift bridge*, swing bridge*, tunnel control*, tunnel operator*, ring road*, expressway*, autobahn*, dynamic speed, pedestrian
    crossing*, zebra crossing*, crossing gate*, barrier* .. crossing, railway switch*, railway signal*, interlocking, train control, rail network*,
    isp, isps, internet service provider*, internet provider*, internet backbone, network operator*, network provider*, telecommunication*,
    telecoms, telco*, routers, core router*, border gateway, bgp, cell tower*, base station*, radio mast*, satellite link*, fibre cable*, fiber
    cable*, dns, ddos, name server*, certificate authorit*, public cloud, hyperscaler*, hyperscale, cloud provider*, exchange point*, server farm*,
    critical facilit*, critical service*, critical system*, critical network*, critical utilit*, levee*, dyke*, dike*, lock gate*, canal lock*,
    weir*, flood defen*, tidal barrier*, heating mains, keeps the lights on, traffic computer*, green for, green longer, lengthens or shortens, arm
    of a crossing, arms of a crossing, crossing is, hertz, 50 hertz, wind farms, wind farm, windfarm*, cut from the grid, lock gates, flood gates,
    pressure regulator*, regulator station*, water pipes, gas pipes, heating pipes, trunk main*, water main, mains pressure, supply pressure, water
    tank*, water tower, high-level tank*, catchment*, polder*, storm drain*, drainage pump*, treatment works, blower*, aeration, sludge, desalin*,
    hydrogen supply, lng, gas cavern*, gas holder*, gas meter station*, odorisation, city gate*, heat pump network*, cogeneration, boilers of a,
    peak boiler*, steam turbine*, gas turbine, power block*, power unit*, control rod*, core cooling, backup generator*, emergency generator*,
    emergency power, diesel generator*, ups of, uninterruptible, data hall*, server room*, cooling of a data, colocation, carrier hotel*, peering*,
    subsea cable*, mobile core, cellular network*, emergency call network, tetra network, air traffic control, rail traffic, train traffic, railway
    network*, signal box*, metro system*, tram signals, bus priority, traffic cameras .. signals, red light phases, alpine tunnel*, bridge lift*,
    ferry ramp*, toll barrier*, pedestrian light*, school crossing*, emergency lane, hard-shoulder, contraflow, lane lights, overhead signs, speed
    signs, electronic signs, variable signs, fog warning*, black ice warning*, lights at crossings, crossings are, pedestrians apart, cars and
    pedestrians, tram signal*, rail signal*`),
  steer:
    words(`lengthen*, shorten*, control, controls, controlled, controlling, controller*, shut, shuts, shutting, shutdown*, isolat*, disconnect*,
    reconnect*, balanc*, regulat*, operate, operates, operated, operating, trigger*, manag*, open, opens, opened, opening, close, closes, closed,
    closing, steer*, safety, safe, protect*, failover, fail over, switch*, stop, stops, stopping, react*, dispatch*, adjust*, run, runs, running,
    dose, doses, dosing, guard*, keep, keeps, keeping, holds, set, sets, setting, trip, trips, tripping, shed, sheds, throttl*, rerout*, re-rout*,
    reconfigur*, restor*, valve*, pump, pumps, prevent*, avert*, alarm*, autonom*, command*, actuat*, divert*, curtail*, takes offline, take* ..
    offline, power down, powers down, ramp*, gives way, priority to, stabili*, steady, emergency shut*, overload*, burst*, intervene*, decid*,
    supervis*, cut off, cuts off, fault*, failure*, leak*, anomal*, attack*, orchestrat*, coordinat*, without an operator, without operator,
    sequence*, increases, reduces, lowers, raises, directs, routes, vent, vents, venting, start, starts, starting, de-energis*, de-energiz*,
    energise*, energize*, hold, red for, issue* .. command*, patch*, compensat*, inject*, release*, decouple*, couple, couples, relieve, relieves,
    bypass*, block, blocks, override*, correct*, act on, acts on, takes action, take action, counteract*, mitigat*, schedules power, in charge of,
    responsible for, on its own, by itself, without human, unattended, self-healing, heal, heals, halts, halt, slows, speed up, speeds up, raise,
    lower, reduce, increase, within limits, within tolerance, within safe, dangerous, hazard*, accident*, rupture*, collapse*, explosion*, flooding,
    flood, contaminat*, intrusion*, cyber*, monitors, monitoring, watches over, watch over, oversees, forecasts .. and, plays, drop, drops, robot
    hand, cuts off streets, learns when, containment, contains faults, contains attacks, collide, collision*`),
  /** Parts of networks and plants. Two of them, and a control, are about supply or traffic. */
  network_hint:
    words(`utility, utilities, grid, load, water, pipe, pipes, valve*, pressure, pump, pumps, breaker*, power, electric*, light again, villages,
    network, networks, cooling, racks, rack, outage*, blackout*, storm*, voltage*, frequency, frequencies, traffic, lane, lanes, road, roads,
    vehicle, vehicles, motorist*, junction*, tunnel*, bridge*, signal*, heat, heating, boiler*, steam, gas, supply, reservoir*, river*, weir*,
    dispatch centre, dispatch center, control room*, control centre*, turbine*, generator*, substation*, transformer*, cable*, colocation, servers,
    routers, packets, backbone, internet, telecom*, sewage, leak*, burst*, under-frequency, congestion, concessionaire`),
  /** Uses by their names, which need no deed. */
  supply_use:
    words(`traffic signal control, traffic light control, traffic signal optimisation, traffic management system*, adaptive traffic control, grid control,
    grid balancing, grid stabilisation, grid stabilization, grid protection, load shedding, load balancing of the grid, frequency regulation, voltage
    control, leak isolation, water treatment control, chlorine dosing, pipeline control, pipeline protection, scada control, substation automation,
    network protection of, safety component of .. infrastructure`),
  act: words(`controls, control of, controller*, shut, shuts, shutdown*, isolat*, disconnect*, reconnect*, re-clos*, reclos*, balanc*, regulat*, operates,
    operate, triggers, closes, close, opens, open, steers, switches, switch, switching, stops, halts, dispatches, adjusts, doses, trips, sheds,
    shedding, load shedding, throttles, reroutes, reroute, restores, prevents, protects, protection, safety, diverts, curtails, power down, powers
    down, ramps, autonomous*, automatic*, by itself, on its own, without operator*, replace operators, supervises, decides, decide, runs, keeps,
    manages, releases, lengthens, shortens, cut from, governs, cuts, seals, vents, commands, drops, drop which, changes, lifts, lowers, raises,
    allocates power, allocates load, distributes heat, distributes water, distributes load`),
  /** What is at home, in an office or on a market, and no network that a public depends on. */
  small_scale:
    words(`factory, factories, mill, brewery, bakery, dairy, greenhouse*, vineyard*, wine cellar, restaurant, office building, production line, conveyor*,
    machine tool*, crane, website, web site, robot vacuum, vacuum cleaner, washing machine, car engine, aquarium, swimming pool, hotel, my home,
    private home*, living room*, flat, flats, smart home*, office building*, thermostat*, traders, trading desk, sales, marketing, tariff comparison,
    customers buy, computer game, video game, model railway, my house, single house*, toy, board game, 3d printer, water trees, parks department,
    trees, lawn*, garden*, allotment*, golf course*, ski lift, sports hall, museum`),
};

const rule = annex3<keyof typeof infrastructureConcepts>;

export const infrastructureRules = [
  rule("2", "safety of critical infrastructure", ["infrastructure", "steer"], ["small_scale"]),
  rule("2", "safety of critical infrastructure", ["act"], ["small_scale"], "network_hint"),
  rule("2", "safety of critical infrastructure", ["supply_use"], ["small_scale"]),
];
