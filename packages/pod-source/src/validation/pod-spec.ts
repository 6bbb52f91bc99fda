import type { PodSpec } from '@rxlet/kube-api';
import { type ContainerContext, validateContainers, validateInitContainers } from './containers.ts';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkIp,
  checkQualifiedName,
  checkSearchDomain,
} from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';
import { validatePodLevelResources, validateResources } from './resources.ts';
import { validateScheduling, validateTolerations } from './scheduling.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateOs } from './operating-system.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcesses } from './windows.ts';

const MAX_INT32 = 2 ** 31 - 1;
/** The limits of glibc, see resolv.conf(5), and of Kubernetes. */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
/** Longest host name of the Linux kernel. */
const MAX_HOSTNAME = 64;

/** Checks the spec of a pod that is being created, with its defaults filled in. */
export function validatePodSpec(spec: PodSpec, allowPrivileged: boolean, at: string, report: Report): void {
  const context: ContainerContext = { spec, volumes: validateVolumes(spec, `${at}.volumes`, report), allowPrivileged };
  validateContainers(context, `${at}.containers`, report);
  validateInitContainers(context, `${at}.initContainers`, report);
  if (spec.ephemeralContainers?.length) report.forbidden(`${at}.ephemeralContainers`, 'cannot be there from the start');
  validatePodLevelResources(spec, `${at}.resources`, report);
  report.oneOf(`${at}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  validatePodSecurityContext(spec, `${at}.securityContext`, report);
  validateDns(spec, at, report);
  validateNames(spec, at, report);
  validateHostUsers(spec, at, report);
  validateHostProcesses(spec, allowPrivileged, at, report);
  validateScheduling(spec, at, report);
  if (spec.nodeName && spec.schedulingGates?.length) {
    report.forbidden(`${at}.nodeName`, 'a pod that has its node may have no schedulingGates');
  }
  validateTolerations(spec.tolerations, `${at}.tolerations`, report);
  spec.readinessGates?.forEach(({ conditionType = '' }, index) =>
    report.check(`${at}.readinessGates[${String(index)}].conditionType`, checkQualifiedName(conditionType)),
  );
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    report.add(`${at}.activeDeadlineSeconds`, `${String(deadline)} is not between 1 and ${String(MAX_INT32)}`);
  }
  if (spec.preemptionPolicy !== undefined) {
    report.oneOf(`${at}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  }
  if (spec.overhead) validateResources({ limits: spec.overhead }, 'container', `${at}.overhead`, report);
  if (spec.os) validateOs(spec, at, report);
  validateResourceClaims(spec, `${at}.resourceClaims`, report);
}

function validateNames(spec: PodSpec, at: string, report: Report): void {
  for (const field of ['serviceAccountName', 'priorityClassName', 'nodeName'] as const) {
    if (spec[field]) report.check(`${at}.${field}`, checkDnsSubdomain(spec[field]));
  }
  if (spec.runtimeClassName !== undefined)
    report.check(`${at}.runtimeClassName`, checkDnsSubdomain(spec.runtimeClassName));
  if (spec.hostname) report.check(`${at}.hostname`, checkDnsLabel(spec.hostname));
  if (spec.subdomain) report.check(`${at}.subdomain`, checkDnsLabel(spec.subdomain));
  if (spec.hostnameOverride === undefined) return;
  const field = `${at}.hostnameOverride`;
  if (spec.hostnameOverride.length > MAX_HOSTNAME)
    report.add(field, `has more than ${String(MAX_HOSTNAME)} characters`);
  report.check(field, checkDnsSubdomain(spec.hostnameOverride));
  if (spec.setHostnameAsFQDN) report.forbidden(field, 'must not be set beside setHostnameAsFQDN');
  if (spec.hostNetwork) report.forbidden(field, 'must not be set beside hostNetwork');
}

function validateDns({ dnsPolicy, dnsConfig, hostAliases }: PodSpec, at: string, report: Report): void {
  report.oneOf(`${at}.dnsPolicy`, dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  if (dnsPolicy === 'None') {
    if (!dnsConfig) report.required(`${at}.dnsConfig`, 'is required with dnsPolicy: None');
    else if (!dnsConfig.nameservers?.length)
      report.required(`${at}.dnsConfig.nameservers`, 'is required with dnsPolicy: None');
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (nameservers.length > MAX_NAMESERVERS)
    report.add(`${at}.dnsConfig.nameservers`, `are more than ${String(MAX_NAMESERVERS)}`);
  nameservers.forEach((server, index) =>
    report.check(`${at}.dnsConfig.nameservers[${String(index)}]`, checkIp(server)),
  );
  if (searches.length > MAX_SEARCHES) report.add(`${at}.dnsConfig.searches`, `are more than ${String(MAX_SEARCHES)}`);
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    report.add(`${at}.dnsConfig.searches`, `have more than ${String(MAX_SEARCH_CHARACTERS)} characters in all`);
  }
  searches.forEach((domain, index) =>
    report.check(`${at}.dnsConfig.searches[${String(index)}]`, checkSearchDomain(domain)),
  );
  options.forEach(({ name }, index) => {
    if (!name) report.required(`${at}.dnsConfig.options[${String(index)}]`, 'must have a name');
  });
  hostAliases?.forEach(({ ip = '', hostnames }, index) => {
    const field = `${at}.hostAliases[${String(index)}]`;
    report.check(`${field}.ip`, checkIp(ip));
    hostnames?.forEach((name, nameIndex) =>
      report.check(`${field}.hostnames[${String(nameIndex)}]`, checkDnsSubdomain(name)),
    );
  });
}

/** A pod with users of its own cannot share the namespaces of the node. */
function validateHostUsers(spec: PodSpec, at: string, report: Report): void {
  if (spec.hostUsers !== false) return;
  const reason = 'is not possible with hostUsers: false';
  if (spec.hostNetwork) report.forbidden(`${at}.hostNetwork`, reason);
  // The API server spells these two with a capital letter, here only.
  if (spec.hostPID) report.forbidden(`${at}.HostPID`, reason);
  if (spec.hostIPC) report.forbidden(`${at}.HostIPC`, reason);
}

function validateResourceClaims({ resourceClaims }: PodSpec, at: string, report: Report): void {
  const names = new Set<string>();
  resourceClaims?.forEach(({ name, resourceClaimName, resourceClaimTemplateName }, index) => {
    const field = `${at}[${String(index)}]`;
    if (!name) report.required(`${field}.name`);
    else if (names.has(name)) report.duplicate(`${field}.name`, name);
    else report.check(`${field}.name`, checkDnsLabel(name));
    names.add(name);
    if ((resourceClaimName === undefined) === (resourceClaimTemplateName === undefined)) {
      report.add(field, 'must have resourceClaimName or resourceClaimTemplateName');
    }
    if (resourceClaimName) report.check(`${field}.resourceClaimName`, checkDnsSubdomain(resourceClaimName));
    if (resourceClaimTemplateName) {
      report.check(`${field}.resourceClaimTemplateName`, checkDnsSubdomain(resourceClaimTemplateName));
    }
  });
}
