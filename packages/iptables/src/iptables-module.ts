import type { AgentModule } from '@rxlet/agent-api';
import { createLifetime } from '@rxlet/component-base';
import type { AddressFamily } from './chain-rules.ts';
import { type IptablesProgram, iptablesOfMachine } from './iptables-program.ts';
import { keepChains } from './keep-chains.ts';
import { createPacketFilter } from './packet-filter.ts';

/** Options of {@link iptables}. */
export interface IptablesOptions {
  /** Returns the program of a family. Default: that of this machine. */
  readonly programOf?: (family: AddressFamily) => IptablesProgram;
}

const FAMILIES: readonly AddressFamily[] = ['IPv4', 'IPv6'];

/**
 * Creates the agent module that makes the kubelet's iptables chains, and makes them again when the tables are flushed: the hint for other programs, and in IPv4 a rule that
 * drops packets to loopback addresses from elsewhere. They stay when the agent ends.
 */
export function iptables({ programOf = iptablesOfMachine }: IptablesOptions = {}): AgentModule {
  return {
    name: 'iptables',
    setup({ clock, logger }) {
      const lifetime = createLifetime();
      return {
        start() {
          // Pods do not wait for the chains, as in the kubelet.
          for (const family of FAMILIES) {
            const filter = createPacketFilter(programOf(family));
            void lifetime.track(keepChains({ clock, logger, filter }, family, lifetime.signal));
          }
        },
        [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}
