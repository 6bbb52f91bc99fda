import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@rxlet/component-base';

/**
 * The one session of a page server. A secret, good for one use, opens it. A session needs two things: a cookie that scripts cannot read and other sites cannot
 * send, and a token that the page keeps. The cookie alone is not enough, because browsers send the cookies of 127.0.0.1 to servers on all its ports.
 */
export interface PageSession {
  /** Secret that opens the session; of no use once that has happened. */
  readonly secret: string;
  /** Opens the session: returns the values of its cookie and its token. `undefined` for a wrong secret, and for the right one that was used before. */
  open(secret: string): { readonly cookie: string; readonly token: string } | undefined;
  isCookie(value: string | undefined): boolean;
  isToken(value: string | undefined): boolean;
  /** Returns a ticket that opens one WebSocket within {@link TICKET_MS}. */
  issueTicket(): string;
  /** Reports whether the ticket is good, which it is once. */
  useTicket(ticket: string): boolean;
}

/** Lifetime of a ticket: the page uses it at once. */
export const TICKET_MS = 10_000;
/** Tickets that are not used yet. A further one takes the place of the oldest. */
const MAX_TICKETS = 16;
const SECRET_BYTES = 32;

/** Creates a {@link PageSession}. */
export function createPageSession(random: Random, monotonicNow: () => number): PageSession {
  const secret = random.hex(SECRET_BYTES);
  const cookie = random.hex(SECRET_BYTES);
  const token = random.hex(SECRET_BYTES);
  const tickets = new Map<string, number>();
  let isOpen = false;
  return {
    secret,
    open(given) {
      if (isOpen || !isEqual(given, secret)) return undefined;
      isOpen = true;
      return { cookie, token };
    },
    isCookie: (value) => isOpen && isEqual(value, cookie),
    isToken: (value) => isOpen && isEqual(value, token),
    issueTicket() {
      const ticket = random.hex(SECRET_BYTES);
      tickets.set(ticket, monotonicNow() + TICKET_MS);
      if (tickets.size > MAX_TICKETS) tickets.delete(tickets.keys().next().value!);
      return ticket;
    },
    useTicket(ticket) {
      const untilMs = tickets.get(ticket);
      return tickets.delete(ticket) && untilMs !== undefined && monotonicNow() < untilMs;
    },
  };
}

/** Compares in a time that does not depend on the content. */
function isEqual(given: string | undefined, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}
