import { describe, expect, it } from 'vitest';
import { hrefOf, parseRoute, type Route } from './route.ts';

describe('the address of a view', () => {
  it.each<Route>([
    { view: 'pods' },
    { view: 'inside' },
    { view: 'pod', namespace: 'default', name: 'web', tab: 'timeline' },
    { view: 'pod', namespace: 'a/b', name: '<x>%', tab: 'logs' },
  ])('leads back to it: %j', (route) => {
    expect(parseRoute(hrefOf(route))).toEqual(route);
  });

  it.each(['', '#/nothing', '#/pods/default', '#/pods/%'])('leads to the pods for %j', (hash) => {
    expect(parseRoute(hash)).toEqual({ view: 'pods' });
  });
});
