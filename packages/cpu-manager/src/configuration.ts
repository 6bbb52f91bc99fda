import { type ModuleConfiguration, reservedResourcesOfNode } from '@rxlet/agent-api/configuration';
import { countCpus } from '@rxlet/machine';
import { cpuManager, type CpuManagerModuleOptions } from './cpu-manager-module.ts';

/** Configuration of the module `cpuManager`. */
export const cpuManagerConfiguration: ModuleConfiguration<CpuManagerModuleOptions> = {
  name: 'cpu-manager',
  gates: ['CPUManagerPolicyAlphaOptions', 'CPUManagerPolicyBetaOptions', 'DisableCPUQuotaWithExclusiveCPUs'],
  fields: [
    'cpuManagerPolicy',
    'cpuManagerPolicyOptions',
    'cpuManagerReconcilePeriod',
    'kubeReserved',
    'reservedSystemCPUs',
    'systemReserved',
    'topologyManagerPolicy',
  ],
  defaults: {},
  options: ({ configuration, gates }) => ({
    policy: configuration.cpuManagerPolicy,
    policyOptions: configuration.cpuManagerPolicyOptions,
    gates: {
      alphaOptions: gates.isEnabled('CPUManagerPolicyAlphaOptions'),
      betaOptions: gates.isEnabled('CPUManagerPolicyBetaOptions'),
    },
    limitsExclusiveCpus: !gates.isEnabled('DisableCPUQuotaWithExclusiveCPUs'),
    reservedSystemCpus: configuration.reservedSystemCPUs,
    ...reservedResourcesOfNode(configuration, countCpus),
    reconcilePeriodMs: configuration.cpuManagerReconcilePeriod,
    topologyPolicy: configuration.topologyManagerPolicy,
  }),
  module: cpuManager,
};
