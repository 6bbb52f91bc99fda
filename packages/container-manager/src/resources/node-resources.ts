import { errorMessage } from '@rxlet/component-base';
import {
  compareQuantities,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
  subtractQuantities,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import {
  nodeAllocatableReservation,
  overcommittedReservations,
  type ResourceAmounts,
  type ResourceList,
} from '@rxlet/pod-model/resources';

/** Resources that are kept from pods. */
export interface Reservations {
  /** KubeletConfiguration `kubeReserved`. */
  readonly kubeReserved: ResourceAmounts;
  /** KubeletConfiguration `systemReserved`. */
  readonly systemReserved: ResourceAmounts;
}

/** A reservation or threshold that cannot be used. */
export class ReservationError extends Error {
  override readonly name = 'ReservationError';
}

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/**
 * Parses the value of KubeletConfiguration `kubeReserved` or `systemReserved`.
 *
 * @throws ReservationError for other resources, negative amounts and malformed quantities
 */
export function parseReservation(
  field: string,
  amounts: Readonly<Record<string, string | number>> = {},
): ResourceAmounts {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, text]) => {
      if (!RESERVABLE.includes(name)) throw new ReservationError(`${field}: cannot reserve ${name}`);
      const quantity = parseAmount(field, name, text);
      if (compareQuantities(quantity, zeroQuantity) < 0) {
        throw new ReservationError(`${field}: ${name} must not be negative: ${String(text)}`);
      }
      return [name, quantity];
    }),
  );
}

function parseAmount(field: string, name: string, text: string | number): ParsedQuantity {
  try {
    return parseQuantity(text);
  } catch (error) {
    throw new ReservationError(`${field}: ${name} is not a quantity: ${String(text)}`, { cause: error });
  }
}

/** Returns the resources that the cgroup of all pods may use: what is left besides the reservations (kubelet: GetNodeAllocatableAbsolute). */
export function enforceableResources(capacity: ResourceAmounts, reservations: Reservations): ResourceAmounts {
  return subtractAll(capacity, [reservations.systemReserved, reservations.kubeReserved]);
}

/** Reservations of a node as they are configured. */
export type ConfiguredReservations = Parameters<typeof nodeAllocatableReservation>[1];

/**
 * Returns the resources that pods may request. In contrast to {@link enforceableResources} they also lack what a hard eviction threshold keeps free, so that pods
 * that use their requests are not evicted.
 *
 * @throws ReservationError for a resource of which more is reserved than there is, or a threshold that is no quantity
 */
export function allocatableResources(capacity: ResourceAmounts, reservations: ConfiguredReservations): ResourceAmounts {
  const total = formatAmounts(capacity);
  const reservation = reservationOf(total, reservations);
  const [excessive] = overcommittedReservations(total, reservation);
  if (excessive !== undefined) {
    throw new ReservationError(
      `invalid Node Allocatable configuration. Resource "${excessive}" has a reservation of ${reservation[excessive]!} but capacity of ${total[excessive] ?? '0'}. Expected capacity >= reservation.`,
    );
  }
  const reserved = Object.entries(reservation).map(([name, amount]) => [name, parseQuantity(amount)] as const);
  const allocatable = subtractAll(capacity, [Object.fromEntries(reserved)]);
  // Huge pages are memory that only requests for huge pages can use.
  const hugePages = Object.entries(capacity).flatMap(([name, amount]) =>
    isHugePages(name) ? [{ memory: amount }] : [],
  );
  return subtractAll(allocatable, hugePages);
}

/** Formats amounts as quantities. */
export function formatAmounts(amounts: ResourceAmounts): ResourceList {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]));
}

function reservationOf(capacity: ResourceList, reservations: ConfiguredReservations): ResourceList {
  try {
    return nodeAllocatableReservation(capacity, reservations);
  } catch (error) {
    throw new ReservationError(`cannot reserve resources: ${errorMessage(error)}`, { cause: error });
  }
}

function subtractAll(
  capacity: ResourceAmounts,
  reservations: readonly ResourceAmounts[],
): Record<string, ParsedQuantity> {
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => {
      const reserved = reservations.flatMap((reservation) => reservation[name] ?? []);
      return [name, atLeastZero(reserved.reduce((left, part) => subtractQuantities(left, part), amount))];
    }),
  );
}

function atLeastZero(amount: ParsedQuantity): ParsedQuantity {
  return compareQuantities(amount, zeroQuantity) < 0 ? { ...zeroQuantity, format: amount.format } : amount;
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}
