import { describe, expect, it } from 'vitest';
import { errorMessage } from './error-message.ts';

class OwnError extends Error {
  override readonly name = 'OwnError';
}

const failing = (message: string): AsyncDisposable => ({
  [Symbol.asyncDispose]: () => Promise.reject(new Error(message)),
});

describe('errorMessage', () => {
  it.each([
    ['an error', new TypeError('wrong type'), 'wrong type'],
    ['a string', 'just text', 'just text'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a plain object', { code: 7 }, '{"code":7}'],
    ['an error of another realm', { name: 'Error', message: 'elsewhere' }, 'elsewhere'],
    ['an error without a message', Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
    ['an error without message and code', new RangeError(''), 'RangeError'],
  ])('returns the text of %s', (_, thrown, message) => {
    expect(errorMessage(thrown)).toBe(message);
  });

  it('lists the original failure before failures of the clean-up', async () => {
    const start = async (): Promise<void> => {
      await using _first = failing('cannot close the socket');
      await using _second = failing('cannot release the lock');
      throw new Error('cannot bind port 10250');
    };
    const thrown: unknown = await start().catch((error: unknown) => error);
    expect(errorMessage(thrown)).toBe(
      'cannot bind port 10250; clean-up failed: cannot release the lock; clean-up failed: cannot close the socket',
    );
  });

  it('lists the distinct errors of an AggregateError', () => {
    const errors = ['a', 'b', 'a'].map((text) => new Error(text));
    expect(errorMessage(new AggregateError(errors, 'cannot stop'))).toBe('cannot stop: a; b');
    // Node's connection attempts fail with an AggregateError that has no message.
    expect(errorMessage(new AggregateError(errors))).toBe('a; b');
  });

  it('counts the remaining errors of an AggregateError', () => {
    const errors = Array.from({ length: 8 }, (_, index) => new Error(`e${String(index)}`));
    expect(errorMessage(new AggregateError(errors, 'cannot stop'))).toBe('cannot stop: e0; e1; e2; e3; e4; and 3 more');
  });

  it('appends the causes of a built-in error', () => {
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:80');
    const thrown = new TypeError('fetch failed', { cause: new Error('no connection', { cause: refused }) });
    expect(errorMessage(thrown)).toBe('fetch failed: no connection: connect ECONNREFUSED 127.0.0.1:80');
    expect(errorMessage(new DOMException('aborted', { name: 'AbortError', cause: 'stopped' }))).toBe(
      'aborted: stopped',
    );
  });

  it('does not repeat a cause that the message contains', () => {
    const cause = new Error('ENOENT: no such file');
    expect(errorMessage(new Error(`cannot read a.yaml: ${cause.message}`, { cause }))).toBe(
      'cannot read a.yaml: ENOENT: no such file',
    );
  });

  it('omits the cause of other error classes', () => {
    const thrown = new OwnError('connection refused', { cause: new Error('connect ECONNREFUSED 10.0.0.1:80') });
    expect(errorMessage(thrown)).toBe('connection refused');
    expect(errorMessage(new Error('cannot probe', { cause: thrown }))).toBe('cannot probe: connection refused');
  });

  it('terminates for an error that is its own cause', () => {
    const thrown = new Error('loop');
    thrown.cause = thrown;
    expect(errorMessage(thrown)).toBe('loop');
  });

  it.each([
    [
      'a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    [
      'a getter that throws',
      () =>
        Object.defineProperty({}, 'message', {
          get: () => {
            throw new Error('no');
          },
        }),
    ],
  ])('does not throw for %s', (_, make) => {
    expect(errorMessage(make())).toBe('unprintable error');
  });
});
