import { describe, expect, it } from 'vitest';
import { parseTarget } from '../request/request-target.ts';
import { cleanPath } from './clean-path.ts';
import { redirectAnswer } from './redirect.ts';
import type { Operation, Route } from './route.ts';
import { createRouter } from './router.ts';
import { selectOperation } from './select-operation.ts';

const handle = (): { body: string } => ({ body: '' });
const exec: Operation = { methods: ['GET', 'POST'], segments: { least: 3, most: 4 }, handle };
const list: Operation = { methods: ['GET'], segments: { least: 0, most: 0 }, produces: 'application/json', handle };
const routes: readonly Route[] = [
  { pattern: '/metrics', handle },
  { pattern: '/debug/flags/v', handle },
  { pattern: '/logs/', handle },
  { root: '/pods', operations: [list] },
  { root: '/exec', operations: [exec] },
  { root: '/debug/pprof/', operations: [exec] },
];
const router = createRouter(routes);
const matchOf = (target: string): string => {
  const match = router.match(parseTarget(target));
  if (match.kind === 'redirect') return `→ ${match.location}`;
  return match.kind === 'unknown' ? 'unknown' : 'pattern' in match.route ? match.route.pattern : match.route.root;
};

describe('createRouter', () => {
  it.each([
    ['/metrics', '/metrics'],
    ['/metrics?x=//', '/metrics'],
    ['/metrics/', 'unknown'],
    ['/metrics/x', 'unknown'],
    ['/pods', '/pods'],
    ['/pods/', '/pods'],
    ['/pods/x', '/pods'],
    ['/podsx', 'unknown'],
    ['/exec/a%2Fb/c', '/exec'],
    ['/exec%2Fa/b/c', 'unknown'],
    ['/%70ods', '/pods'],
    ['/debug/pprof/heap', '/debug/pprof/'],
    ['/debug', 'unknown'],
    ['/debug/', 'unknown'],
    ['/', 'unknown'],
    ['/toString', 'unknown'],
    ['/__proto__', 'unknown'],
    ['/pods/%2e%2e/exec', '/pods'],
  ])('finds the route of %s', (target, expected) => {
    expect(matchOf(target)).toBe(expected);
  });

  it.each([
    ['/logs', '→ /logs/'],
    ['/logs?query=kubelet', '→ /logs/?query=kubelet'],
    ['/debug/pprof', '→ /debug/pprof/'],
    ['/logs/../../etc/passwd', '→ /etc/passwd'],
    ['//exec//a/./b?x=1', '→ /exec/a/b?x=1'],
    ['/nothing//', '→ /nothing/'],
    ['/exec/..', '→ /'],
  ])('redirects %s', (target, expected) => {
    expect(matchOf(target)).toBe(expected);
  });

  // Within the time of a test only when that is linear in the number of segments.
  it('finds no route for a path of very many segments', () => {
    expect(router.match(parseTarget('/a'.repeat(100_000)))).toEqual({ kind: 'unknown' });
  });

  it('sends a redirect in the words of Go', () => {
    expect(redirectAnswer('/a"<b>', 'GET')).toEqual({
      status: 307,
      headers: { location: '/a"<b>' },
      contentType: 'text/html; charset=utf-8',
      body: '<a href="/a&#34;&lt;b&gt;">Temporary Redirect</a>.\n\n',
    });
    expect(redirectAnswer('/a', 'POST')).toMatchObject({ contentType: null, body: '' });
  });

  it('sends no redirect to another host', () => {
    const match = router.match(parseTarget('//\\evil.example/x'));
    if (match.kind !== 'redirect') throw new Error(`not a redirect: ${match.kind}`);
    const { location } = redirectAnswer(match.location, 'GET').headers!;
    expect(new URL(String(location), 'https://node1:10250').host).toBe('node1:10250');
  });
});

describe('cleanPath', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['//', '/'],
    ['/a/../..', '/'],
    ['/a/./b//c/', '/a/b/c/'],
    ['/a/..', '/'],
    ['/a/../', '/'],
  ])('cleans "%s"', (path, expected) => {
    expect(cleanPath(path)).toBe(expected);
  });
});

describe('selectOperation', () => {
  const execService = { root: '/exec', operations: [exec] };
  const podService = { root: '/pods', operations: [list] };
  const select = (service: typeof execService, path: string, method = 'GET', accept?: string): unknown => {
    const selection = selectOperation(service, { path, method, accept });
    return 'failure' in selection
      ? [selection.failure.status, selection.failure.body, selection.failure.headers]
      : selection.segments;
  };

  it('returns the segments below the root', () => {
    expect(select(execService, '/exec/a/b/c')).toEqual(['a', 'b', 'c']);
    expect(select(execService, '/exec/a/b/c/', 'POST')).toEqual(['a', 'b', 'c']);
    expect(select(execService, '/exec/a//b')).toEqual(['a', '', 'b']);
    expect(select(podService, '/pods/', 'GET', 'text/html;q=0.9, */*;q=0.1')).toEqual([]);
  });

  // Within the time of a test only when that is linear in the number of slashes.
  it('finds no operation for a path with very many encoded slashes', () => {
    const { path } = parseTarget(`/pods/${'%2F'.repeat(300_000)}x`);
    expect(select(podService, path)).toContain(404);
  });

  it('answers 404, 405 and 406, in this order', () => {
    expect(select(execService, '/exec/a/b', 'DELETE')).toEqual([404, '404: Page Not Found', undefined]);
    expect(select(execService, '/exec/a/b/c', 'DELETE')).toEqual([
      405,
      '405: Method Not Allowed',
      { allow: 'GET, POST' },
    ]);
    expect(select(podService, '/pods', 'GET', 'application/yaml')).toEqual([
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json',
      undefined,
    ]);
    expect(select(execService, '/exec/a/b/c', 'GET', 'application/json')).toContain(406);
  });
});
