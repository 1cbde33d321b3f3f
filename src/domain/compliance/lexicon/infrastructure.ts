/** Annex III, point 2: safety in the management and operation of critical digital infrastructure, road traffic, and the supply of water, gas, heating and electricity. */
import { annex3, words } from "./phrases.ts";

export const infrastructureConcepts = {
  infrastructure:
    words(`drinking water, tap water, potable water, water network*, water main*, water grid*, water suppl*, water treatment, water distribution, water utilit*, water tower*, water pressure, waterworks, water company, wastewater, waste water, sewage, sewer*, sewerage, desalination, chlorin*, pumping station*, pump station*,
    gas network*, gas grid*, gas main, gas mains, gas pipe*, gas suppl*, gas distribution, gas transmission, gas storage, gas pressure, gas leak*, gas operator*, natural gas, compressor station*, lng terminal*, pipeline, pipelines, gas utilit*,
    heating plant*, heating network*, heating grid*, district heating, district heat, municipal heat*, city's heat*, heat network*, heat suppl*, heating suppl*, boiler house*, steam network*, combined heat and power, chp plant*,
    power grid*, electricity grid*, electric grid*, electrical grid*, transmission grid*, distribution grid*, energy grid*, smart grid*, the grid, grid operator*, grid frequency, grid control, grid stabilit*, microgrid*, virtual power plant*, electricity network*, power network*, electricity suppl*, electricity transmission, electricity distribution, power plant*, power station*, power suppl*, power line*, power system*,
    transmission line*, transmission operator*, transmission system*, distribution system operator*, transmission system operator*, high voltage, medium voltage, low voltage, substation*, switchgear, circuit breaker*, transformer station*, transformers, feeder, feeders, load shedding, sheds load, load is shed, blackout*, brownout*, frequency control, frequency reserve*, protection relay*, hydroelectric, hydropower, nuclear, reactor*, energy utilit*, utility company, electricity compan*, turbine hall*,
    traffic light*, traffic signal*, signal control*, signal phase*, signal timing*, signalling system*, signaling system*, road traffic, traffic management, traffic control, traffic guidance, traffic system*, intersection*, junction control, crossroad*, level crossing*, railway crossing*, speed limit*, lane closure*, lane control, motorway*, highway*, road tunnel*, tunnel ventilation, tunnel control, tidal flow, ramp meter*, variable message sign*, gantries, bridge closure*,
    critical .. infrastructure, critical infrastructure*, digital infrastructure, internet exchange*, backbone network*, carrier's backbone, core network*, telecom* network*, telecom* operator*, mobile network*, 5g core, submarine cable*, undersea cable*, dns resolver*, root server*, root name server*, domain name system, data centre*, data center*, cloud region*,
    reservoir, reservoirs, dam, dams, spillway*, floodgate*, flood gate*, sluice*, flood barrier*, storm surge barrier*, scada, industrial control system*, grid, emergency network*, fibre network*`),
  steer: words(
    `control, controls, controlled, controlling, controller*, shut, shuts, shutting, shutdown*, shut down*, isolat*, disconnect*, reconnect*, balanc*, regulat*, operat*, trigger*, manag*, open, opens, opened, opening, close, closes, closed, closing, steer*, safety, safe, protect*, failover, fail over, switch*, stop, stops, stopping, react*, dispatch*, adjust*, run, runs, running,
    dose, doses, dosing, guard*, keep, keeps, keeping, holds, set, sets, setting, trip, trips, tripping, shed, sheds, throttl*, rerout*, re-rout*, reconfigur*, restor*, valve*, pump, pumps, prevent*, avert*, alarm*, autonom*, command*, actuat*, divert*, curtail*, takes offline, take* .. offline, power down, powers down, ramp*, gives way, priority to, stabili*, steady, emergency shut*, overload*, burst*, intervene*, decid*, supervis*, cut off, cuts off, fault*, failure*, leak*, anomal*, attack*, contain*, orchestrat*, coordinat*, without an operator, without operator, sequence*, increases, reduces, lowers, raises, directs, routes`,
  ),
  /** What is at home, in an office or on a market, and no network that a public depends on. */
  small_scale: words(
    `my home, private home*, living room*, flat, flats, smart home*, office building*, thermostat*, traders, trading desk, sales, marketing, tariff comparison, customers buy, computer game, video game, model railway, my house, single house*, toy, board game, 3d printer`,
  ),
};

const rule = annex3<keyof typeof infrastructureConcepts>;

export const infrastructureRules = [
  rule("2", "safety of critical infrastructure", ["infrastructure", "steer"], ["small_scale"]),
];
