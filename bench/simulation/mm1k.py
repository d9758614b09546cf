"""M/M/1/K, load 2/3, in SimPy and in Ciw: events per second of processor time, and what came out."""

import random
import sys
import time


def simpy_run(customers):
    import simpy

    environment = simpy.Environment()
    server = simpy.Resource(environment, capacity=1)
    draw = random.Random(1)
    state = {"inside": 0, "served": 0, "events": 0}

    def customer():
        with server.request() as turn:
            yield turn
            yield environment.timeout(draw.expovariate(3.0))
        state["inside"] -= 1
        state["served"] += 1
        state["events"] += 1

    def source():
        for _ in range(customers):
            yield environment.timeout(draw.expovariate(2.0))
            state["events"] += 1
            if state["inside"] < 10:
                state["inside"] += 1
                environment.process(customer())

    environment.process(source())
    environment.run()
    return state["events"], state["served"] / environment.now


def ciw_run(customers):
    import ciw

    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=2.0)],
        service_distributions=[ciw.dists.Exponential(rate=3.0)],
        number_of_servers=[1],
        queue_capacities=[9],
    )
    ciw.seed(1)
    horizon = customers / 2.0
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(horizon)
    served = [one for one in simulation.get_all_records() if one.record_type == "service"]
    return len(served) + customers, len(served) / horizon


if __name__ == "__main__":
    name, customers = sys.argv[1], int(sys.argv[2])
    begun = time.process_time()
    events, throughput = {"simpy": simpy_run, "ciw": ciw_run}[name](customers)
    print(f"{events} {time.process_time() - begun:.3f} {throughput:.5f}")
