import { evictionQuantity, parseEvictionThreshold } from './eviction-thresholds.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  type ParsedQuantity,
  parseQuantity,
  zeroQuantity,
} from './quantity.ts';

/** Quantities by resource name. */
export type ResourceList = Readonly<Record<string, string>>;

/** Reservations of a node (KubeletConfiguration fields of these names). */
export interface NodeReservations {
  readonly kubeReserved?: ResourceList | undefined;
  readonly systemReserved?: ResourceList | undefined;
  /** Hard eviction thresholds by signal. Those of memory and of the node's disk reserve what pods could not use without being evicted. */
  readonly evictionHard?: ResourceList | undefined;
}

/** Resources whose hard eviction threshold is reserved, by signal. */
const reservedSignals: ReadonlyMap<string, string> = new Map([
  ['memory.available', 'memory'],
  ['nodefs.available', 'ephemeral-storage'],
]);

/**
 * Returns the part of the node's capacity that pods cannot request (kubelet: GetNodeAllocatableReservation). Resources without a reservation are absent.
 *
 * @throws QuantityError for a malformed quantity, EvictionValueError for a malformed threshold
 */
export function nodeAllocatableReservation(capacity: ResourceList, reservations: NodeReservations): ResourceList {
  const { kubeReserved = {}, systemReserved = {}, evictionHard = {} } = reservations;
  const eviction = new Map(
    Object.entries(evictionHard).flatMap(([signal, threshold]) => {
      const resource = reservedSignals.get(signal);
      return resource === undefined
        ? []
        : [[resource, thresholdQuantity(signal, threshold, capacity[resource])] as const];
    }),
  );
  const entries = Object.keys(capacity).flatMap((resource) => {
    const parts = [quantityOf(systemReserved[resource]), quantityOf(kubeReserved[resource]), eviction.get(resource)];
    const sum = parts.reduce<ParsedQuantity>((total, part) => addQuantities(total, part ?? zeroQuantity), zeroQuantity);
    return isZeroQuantity(sum) ? [] : [[resource, formatQuantity(sum)] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the resources of which more is reserved than the node has. A kubelet does not start then. */
export function overcommittedReservations(capacity: ResourceList, reservation: ResourceList): readonly string[] {
  return Object.entries(reservation)
    .filter(([name, reserved]) => compareQuantities(parseQuantity(reserved), quantityOf(capacity[name])) > 0)
    .map(([name]) => name);
}

/** Returns what a threshold reserves of the capacity. */
function thresholdQuantity(signal: string, threshold: string, capacity: string | undefined): ParsedQuantity {
  const value = parseEvictionThreshold(signal, threshold);
  const amount = value === undefined ? zeroQuantity : evictionQuantity(value, quantityOf(capacity));
  return compareQuantities(amount, zeroQuantity) > 0 ? amount : zeroQuantity;
}

function quantityOf(text: string | undefined): ParsedQuantity {
  return text === undefined ? zeroQuantity : parseQuantity(text);
}
