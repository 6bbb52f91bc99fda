import { seededRandom } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createPageSession, TICKET_MS } from './page-session.ts';

describe('tickets of a session', () => {
  it('end after a while, and are few', () => {
    let nowMs = 0;
    const session = createPageSession(seededRandom(1), () => nowMs);
    const late = session.issueTicket();
    nowMs = TICKET_MS;
    expect(session.useTicket(late)).toBe(false);
    const first = session.issueTicket();
    const others = Array.from({ length: 16 }, () => session.issueTicket());
    expect([session.useTicket(first), session.useTicket(others[0]!)]).toEqual([false, true]);
  });

  it('knows no cookie and no token before it is open', () => {
    const session = createPageSession(seededRandom(1), () => 0);
    const twin = createPageSession(seededRandom(1), () => 0);
    const { cookie, token } = twin.open(twin.secret)!;
    expect([session.isCookie(cookie), session.isToken(token)]).toEqual([false, false]);
    session.open(session.secret);
    expect([session.isCookie(cookie), session.isToken(token), session.isToken(cookie)]).toEqual([true, true, false]);
  });
});
