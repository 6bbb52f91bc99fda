import { createNodeConfiguration } from '@rxlet/agent-api/testing';
import { expect, it } from 'vitest';
import { iptablesConfiguration } from './configuration.ts';

it.each([
  [undefined, {}],
  [true, {}],
  [false, undefined],
])('makeIPTablesUtilChains %s gives the options %j', (makeIPTablesUtilChains, options) => {
  const node = createNodeConfiguration({ configuration: { makeIPTablesUtilChains } });
  expect(iptablesConfiguration.options?.(node)).toEqual(options);
});
