import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { iptables, type IptablesOptions } from './iptables-module.ts';

/** Configuration of the module `iptables`. */
export const iptablesConfiguration: ModuleConfiguration<IptablesOptions> = {
  name: 'iptables',
  fields: ['makeIPTablesUtilChains'],
  withoutEffect: {
    iptablesDropBit: 'no kubelet reads it any more: it marks no packets',
    iptablesMasqueradeBit: 'no kubelet reads it any more: it marks no packets',
  },
  options: ({ configuration: { makeIPTablesUtilChains } }) => (makeIPTablesUtilChains === false ? undefined : {}),
  module: iptables,
};
