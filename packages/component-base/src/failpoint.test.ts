import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createFailpoint,
  type Failpoint,
  FAILPOINT_CODES,
  type FailpointAction,
  FailpointError,
  formatFailpoint,
  parseFailpoint,
} from './failpoint.ts';

const once = (action: FailpointAction): Failpoint => [{ count: 1, action }];

describe('parseFailpoint', () => {
  it.each<[string, Failpoint]>([
    ['1*off', once({ kind: 'off' })],
    ['1*error(oops)', once({ kind: 'error', code: 2, message: 'oops' })],
    ['1*error(oops: bad)', once({ kind: 'error', code: 2, message: 'oops: bad' })],
    ['1*error(unavailable: no shim)', once({ kind: 'error', code: 14, message: 'no shim' })],
    ['1*error(not_found)', once({ kind: 'error', code: 5, message: 'not_found' })],
    ['1*error(canceled: gone)', once({ kind: 'error', code: 1, message: 'gone' })],
    ['1*error(exit (1) of runc)', once({ kind: 'error', code: 2, message: 'exit (1) of runc' })],
    ['1*error(toString: x)', once({ kind: 'error', code: 2, message: 'toString: x' })],
    ['1*panic(dead)', once({ kind: 'panic', message: 'dead' })],
    ['1*delay(200)', once({ kind: 'delay', ms: 200 })],
    ['1*delay(1.5s)', once({ kind: 'delay', ms: 1500 })],
    ['1*hang', once({ kind: 'hang' })],
    ['1*lost', once({ kind: 'lose-reply' })],
    [
      '0*off->lost',
      [
        { count: 0, action: { kind: 'off' } },
        { count: Infinity, action: { kind: 'lose-reply' } },
      ],
    ],
    [
      '1*off->2*error(unavailable: x)->delay(200)',
      [
        { count: 1, action: { kind: 'off' } },
        { count: 2, action: { kind: 'error', code: 14, message: 'x' } },
        { count: Infinity, action: { kind: 'delay', ms: 200 } },
      ],
    ],
  ])('parses %s', (text, expected) => {
    expect(parseFailpoint(text)).toEqual(expected);
  });

  it.each([
    ['', 'action-unknown', 0],
    ['explode', 'action-unknown', 0],
    ['constructor', 'action-unknown', 0],
    ['1*Off', 'action-unknown', 2],
    ['off->', 'action-unknown', 5],
    [' off', 'action-unknown', 0],
    ['*off', 'count-invalid', 0],
    ['off->99999999999999999*off', 'count-invalid', 5],
    ['error', 'argument-missing', 5],
    ['error()', 'argument-missing', 6],
    ['error(oops', 'argument-unclosed', 5],
    ['error(oops)off', 'chain-broken', 11],
    ['off off', 'chain-broken', 3],
    ['off(1)', 'chain-broken', 3],
    ['delay(soon)', 'delay-invalid', 6],
    ['delay(-1s)', 'delay-invalid', 6],
  ])('rejects %j: %s at %d', (text, reason, position) => {
    let thrown: unknown;
    try {
      parseFailpoint(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FailpointError);
    expect(thrown).toMatchObject({ reason, position, text });
    expect((thrown as Error).message).toContain(`at position ${String(position)}`);
  });

  it('parses every formatted failpoint', () => {
    const message = fc.string({ minLength: 1 }).filter((text) => !/\)|^\s|^$/.test(text));
    const action: fc.Arbitrary<FailpointAction> = fc.oneof(
      fc.constantFrom<FailpointAction>({ kind: 'off' }, { kind: 'hang' }, { kind: 'lose-reply' }),
      fc.record({
        kind: fc.constant('error' as const),
        code: fc.constantFrom(...Object.values(FAILPOINT_CODES)),
        message,
      }),
      fc.record({ kind: fc.constant('panic' as const), message }),
      fc.record({ kind: fc.constant('delay' as const), ms: fc.nat() }),
    );
    const count = fc.oneof(fc.nat(), fc.constant(Infinity));
    fc.assert(
      fc.property(fc.array(fc.record({ count, action }), { minLength: 1, maxLength: 4 }), (failpoint) => {
        expect(parseFailpoint(formatFailpoint(failpoint))).toEqual(failpoint);
      }),
    );
  });
});

describe('createFailpoint', () => {
  it('applies each term to its number of calls, then nothing', () => {
    const failpoint = createFailpoint('1*off->2*error(unavailable: x)->1*hang');
    const kinds = Array.from({ length: 6 }, () => failpoint.evaluate()?.kind);
    expect(kinds).toEqual(['off', 'error', 'error', 'hang', undefined, undefined]);
  });

  it('applies a term without a count to all further calls', () => {
    const failpoint = createFailpoint('0*hang->delay(5)->lost');
    expect(Array.from({ length: 100 }, () => failpoint.evaluate())).toEqual(
      Array.from({ length: 100 }, () => ({ kind: 'delay', ms: 5 })),
    );
  });

  it('formats the remaining terms', () => {
    const failpoint = createFailpoint('1*off->2*error(unavailable: x)->delay(20)');
    failpoint.evaluate();
    failpoint.evaluate();
    expect(formatFailpoint(failpoint.remaining)).toBe('1*error(unavailable: x)->delay(20)');
  });
});
