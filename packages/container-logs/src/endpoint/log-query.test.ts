import { describe, expect, it } from 'vitest';
import { parseLogQuery, rejectSingleStream } from './log-query.ts';

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
    ['follow=perhaps&previous=', { follow: true, previous: true }],
    ['follow=false&previous=0&timestamps=FALSE', {}],
    ['tailLines=0', { tailLines: 0 }],
    ['tailLines=%2B20&limitBytes=1', { tailLines: 20, limitBytes: 1 }],
    ['tailLines=1&tailLines=2', { tailLines: 1 }],
    ['tailLines=9223372036854775807', { tailLines: 2 ** 63 }],
    ['tail=7&tailLines=9', { tailLines: 7 }],
    ['tail=all&tailLines=x', {}],
    ['sinceSeconds=60', { sinceMs: NOW_MS - 60_000 }],
    ['sinceTime=2026-01-01T10:00:00Z', { sinceTime: '2026-01-01T10:00:00Z' }],
    ['sinceTime=2026-01-01T10:00:00.123456789%2B02:00', { sinceTime: '2026-01-01T10:00:00.123456789+02:00' }],
    ['sinceTime=', {}],
    ['stream=All&tailLines=2', { tailLines: 2 }],
    ['stream=Stdout', { stream: 'stdout' }],
    ['stream=Stderr', { stream: 'stderr' }],
    // The API server passes them on; they are not about the log.
    ['insecureSkipTLSVerifyBackend=true&pretty=x', {}],
  ])('reads "%s"', (query, expected) => {
    expect(parse(query)).toEqual({ ...nothing, ...expected });
  });

  it.each([
    'tailLines=1.5',
    'tailLines=',
    'tailLines=x',
    'tailLines=99999999999999999999',
    'limitBytes=1e3',
    'sinceSeconds=x',
    'sinceTime=yesterday',
    'sinceTime=2026',
    'sinceTime=2026-13-01T00:00:00Z',
    'sinceTime=2026-02-30T00:00:00Z',
    'sinceTime=2026-01-01T24:00:00Z',
  ])('cannot decode "%s"', (query) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({ status: 400, message: '{"message": "Unable to decode query."}' }),
    );
  });

  it.each([
    'tailLines=-1',
    'limitBytes=0',
    'limitBytes=-1',
    'sinceSeconds=0',
    'sinceSeconds=5&sinceTime=2026-01-01T10:00:00Z',
    'sinceSeconds=5&sinceTime=',
    'stream=stdout',
    'stream=',
    'stream=Stdout&tailLines=2',
  ])('rejects "%s"', (query) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({ status: 422, message: '{"message": "Invalid request."}' }),
    );
  });

  it.each([
    [['default', 'web'], 404, '404: Page Not Found'],
    [['default', '', 'main'], 400, '{"message": "Missing podID."}'],
    [['default', 'web', ''], 400, '{"message": "Missing container name."}'],
    [['', 'web', 'main'], 400, '{"message": "Missing podNamespace."}'],
  ])('rejects the path %j', (path, status, message) => {
    expect(() => parse('', path)).toThrow(expect.objectContaining({ status, message }));
  });
});

describe('rejectSingleStream', () => {
  it('names the feature that a single stream needs', () => {
    expect(() => rejectSingleStream(new URLSearchParams('stream=All'))).not.toThrow();
    expect(() => rejectSingleStream(new URLSearchParams('stream=Stderr'))).toThrow(
      'unable to return the given log stream: "Stderr". Please enable PodLogsQuerySplitStreams feature gate in kubelet',
    );
  });
});
