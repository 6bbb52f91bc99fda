import { describe, expect, it } from 'vitest';
import { parseLogQuery } from './log-query.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const parse = (query: string, path = ['default', 'web', 'main']): unknown =>
  parseLogQuery(path, new URLSearchParams(query), NOW_MS);
const nothing = {
  namespace: 'default',
  podName: 'web',
  containerName: 'main',
  follow: false,
  previous: false,
  timestamps: false,
};

describe('parseLogQuery', () => {
  it.each([
    ['', {}],
    ['follow=true&previous=1&timestamps', { follow: true, previous: true, timestamps: true }],
    ['follow=false&previous=0&timestamps=FALSE', {}],
    ['tailLines=0', { tailLines: 0 }],
    ['tailLines=20&limitBytes=1', { tailLines: 20, limitBytes: 1 }],
    ['sinceSeconds=60', { sinceMs: NOW_MS - 60_000 }],
    ['sinceTime=2026-01-01T10:00:00Z', { sinceTime: '2026-01-01T10:00:00Z' }],
    ['sinceTime=2026-01-01T10:00:00.123456789%2B02:00', { sinceTime: '2026-01-01T10:00:00.123456789+02:00' }],
    ['stream=All', {}],
    // The API server passes it on; it is not about the log.
    ['insecureSkipTLSVerifyBackend=true', {}],
  ])('reads "%s"', (query, expected) => {
    expect(parse(query)).toEqual({ ...nothing, ...expected });
  });

  it.each([
    ['follow=perhaps', 'follow "perhaps"'],
    ['tailLines=-1', 'tailLines "-1" is not a whole number of at least 0'],
    ['tailLines=1.5', 'tailLines'],
    ['tailLines=', 'tailLines'],
    ['tailLines=99999999999999999999', 'tailLines'],
    ['limitBytes=0', 'limitBytes "0" is not a whole number of at least 1'],
    ['sinceSeconds=0', 'sinceSeconds'],
    ['sinceTime=yesterday', 'sinceTime "yesterday" is not an RFC 3339 time'],
    ['sinceTime=2026', 'sinceTime'],
    ['sinceTime=2026-13-01T00:00:00Z', 'sinceTime'],
    ['sinceSeconds=5&sinceTime=2026-01-01T10:00:00Z', 'exclude each other'],
    ['stream=Stderr', 'stream "Stderr"'],
  ])('refuses "%s" with 422', (query, message) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({ status: 422, message: expect.stringContaining(message) as unknown }),
    );
  });

  it.each([[[]], [['default', 'web']], [['default', 'web', 'main', 'more']]])(
    'refuses the path %j with 400',
    (path) => {
      expect(() => parse('', path)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});
