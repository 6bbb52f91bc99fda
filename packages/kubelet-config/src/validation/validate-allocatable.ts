import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import { parseCpuSet } from '@rxlet/machine/topology';
import type { ProblemReport } from './problem-report.ts';

/** Cgroup field that an enforcement of reserved resources requires. */
const CGROUP_FIELDS = {
  'system-reserved': 'systemReservedCgroup',
  'system-reserved-compressible': 'systemReservedCgroup',
  'kube-reserved': 'kubeReservedCgroup',
  'kube-reserved-compressible': 'kubeReservedCgroup',
} as const;

const FIELD = 'enforceNodeAllocatable';

/** Validates what is reserved for the system, and how it is enforced. */
export function validateAllocatable(configuration: KubeletConfiguration, report: ProblemReport): void {
  const {
    systemCgroups,
    cgroupRoot,
    reservedSystemCPUs = '',
    systemReservedCgroup,
    kubeReservedCgroup,
  } = configuration;
  if (systemCgroups && !cgroupRoot) report(['cgroupRoot', 'systemCgroups'], 'systemCgroups requires cgroupRoot');
  validateEnforcements(configuration, report);
  if (reservedSystemCPUs === '') return;
  if (systemReservedCgroup || kubeReservedCgroup)
    report(
      ['kubeReservedCgroup', 'reservedSystemCPUs', 'systemReservedCgroup'],
      'reservedSystemCPUs excludes systemReservedCgroup and kubeReservedCgroup',
    );
  if (parseCpuSet(reservedSystemCPUs) === undefined)
    report(['reservedSystemCPUs'], `reservedSystemCPUs "${reservedSystemCPUs}" is no list of CPUs like 0-3,7`);
}

function validateEnforcements(configuration: KubeletConfiguration, report: ProblemReport): void {
  const enforcements = configuration.enforceNodeAllocatable ?? [];
  for (const kind of ['system-reserved', 'kube-reserved'])
    if (enforcements.includes(kind) && enforcements.includes(`${kind}-compressible`))
      report([FIELD], `${FIELD} must not contain both ${kind} and ${kind}-compressible`);
  for (const [index, value] of enforcements.entries()) {
    if (enforcements.indexOf(value) < index) {
      report([FIELD], `${FIELD} contains ${value} twice`);
      continue;
    }
    if (value === 'none') {
      if (enforcements.length > 1) report([FIELD], `${FIELD} must contain nothing else besides none`);
      continue;
    }
    if (Object.hasOwn(CGROUP_FIELDS, value)) {
      const cgroupField = CGROUP_FIELDS[value as keyof typeof CGROUP_FIELDS];
      if (!configuration[cgroupField]) report([FIELD, cgroupField], `${value} in ${FIELD} requires ${cgroupField}`);
    } else if (value !== 'pods') {
      report([FIELD], `"${value}" in ${FIELD} must be one of: pods, ${Object.keys(CGROUP_FIELDS).join(', ')}, none`);
      continue;
    }
    if (configuration.cgroupsPerQOS !== true)
      report(['cgroupsPerQOS', FIELD], `${value} in ${FIELD} requires cgroupsPerQOS`);
  }
}
