import { describe, expect, it } from 'vitest';
import { collectionKey, contribute } from '../collection-key.ts';
import { provide, serviceKey } from '../service-key.ts';
import { createModuleContext } from './module-context.ts';

describe('createModuleContext', () => {
  it('passes on the members that the test gives', () => {
    const { core } = createModuleContext({ core: { sourcesReady: () => true } });
    expect(core.sourcesReady()).toBe(true);
  });

  it('names a member that the test does not give', () => {
    const { core, runtime } = createModuleContext();
    expect(() => core.activePods()).toThrow('the test gives no "core.activePods"');
    expect(() => runtime.version({})).toThrow('the test gives no "runtime.version"');
  });

  it('finds services and contributions by their keys', () => {
    const given = serviceKey<number>('given');
    const missing = serviceKey<number>('missing');
    const items = collectionKey<string>('items');
    const { services, collections } = createModuleContext({
      services: [provide(given, 7)],
      contributions: [contribute(items, 'a'), contribute(collectionKey<string>('items'), 'b')],
    });
    expect([services.get(given), services.find(given), services.find(missing)]).toEqual([7, 7, undefined]);
    expect(() => services.get(missing)).toThrow('the test provides no service "missing"');
    expect(collections.of(items)).toEqual(['a']);
  });
});
