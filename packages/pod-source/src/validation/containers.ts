import type { Container, EphemeralContainer, PodSpec } from '@rxlet/kube-api';
import { validateEnv } from './env.ts';
import { validateLifecycle, validateProbe } from './handlers.ts';
import { validateMounts, type VolumesByName } from './mounts.ts';
import { checkDnsLabel, checkPortName, checkPortNumber } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';
import { validateResources } from './resources.ts';
import { validateSecurityContext } from './security-context.ts';

/** The pod of a container, for checks. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: VolumesByName;
  readonly allowPrivileged: boolean;
}

type AnyContainer = Container | EphemeralContainer;

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Checks the regular containers of a pod. */
export function validateContainers(context: ContainerContext, at: string, report: Report): void {
  const { containers } = context.spec;
  if (containers.length === 0) return report.required(at, 'is required: a pod has at least one container');
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const field = `${at}[${String(index)}]`;
    validateContainer(container, context, field, report);
    if (container.name && names.has(container.name)) report.duplicate(`${field}.name`, container.name);
    names.add(container.name);
    validateHandlers(container, context, field, report);
  });
  validateHostPorts(containers, at, report);
  if (context.spec.hostNetwork) validateHostNetworkPorts(containers, at, report);
}

/** Checks the init containers of a pod; those that are sidecars may have hooks and probes. */
export function validateInitContainers(context: ContainerContext, at: string, report: Report): void {
  const names = new Set(context.spec.containers.map(({ name }) => name));
  context.spec.initContainers?.forEach((container, index) => {
    const field = `${at}[${String(index)}]`;
    validateContainer(container, context, field, report);
    if (container.name && names.has(container.name)) report.duplicate(`${field}.name`, container.name);
    names.add(container.name);
    // Init containers run one after another, so only the ports of one exclude each other.
    validateHostPorts([container], at, report);
    if (container.restartPolicy === 'Always') {
      validateHandlers(container, context, field, report);
      return;
    }
    for (const part of ['lifecycle', ...probes] as const) {
      if (container[part])
        report.forbidden(`${field}.${part}`, 'is possible only for an init container with restartPolicy: Always');
    }
  });
}

function validateContainer(container: AnyContainer, context: ContainerContext, at: string, report: Report): void {
  if (!container.name) report.required(`${at}.name`);
  else report.check(`${at}.name`, checkDnsLabel(container.name));
  if (!container.image) report.required(`${at}.image`);
  else if (container.image.trim() !== container.image) report.add(`${at}.image`, 'has spaces around it');
  report.oneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError']);
  report.oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
  validateMounts(container, context.volumes, at, report);
  validateResources(container.resources ?? {}, 'container', `${at}.resources`, report);
  validateResizePolicy(container, context.spec, `${at}.resizePolicy`, report);
  validateRestartRules(container, at, report);
  if (container.securityContext) {
    const { allowPrivileged, spec } = context;
    const node = { allowPrivileged, hostUsers: spec.hostUsers !== false };
    validateSecurityContext(container.securityContext, node, `${at}.securityContext`, report);
  }
  validatePorts(container, `${at}.ports`, report);
  validateClaims(container, context.spec, `${at}.resources.claims`, report);
  validateEnv(container, at, report);
}

function validateHandlers(container: Container, { spec }: ContainerContext, at: string, report: Report): void {
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 0;
  if (container.lifecycle) validateLifecycle(container.lifecycle, spec, `${at}.lifecycle`, report);
  for (const kind of probes) {
    const probe = container[kind];
    if (probe) validateProbe(kind, probe, graceSeconds, at, report);
  }
}

function validatePorts({ ports }: AnyContainer, at: string, report: Report): void {
  const names = new Set<string>();
  ports?.forEach(({ name, containerPort, hostPort, protocol }, index) => {
    const field = `${at}[${String(index)}]`;
    if (name) {
      const wrong = checkPortName(name);
      report.check(`${field}.name`, wrong);
      if (wrong.length === 0 && names.has(name)) report.duplicate(`${field}.name`, name);
      names.add(name);
    }
    if (!containerPort) report.required(`${field}.containerPort`);
    else report.check(`${field}.containerPort`, checkPortNumber(containerPort));
    if (hostPort) report.check(`${field}.hostPort`, checkPortNumber(hostPort));
    report.oneOf(`${field}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']);
  });
}

function validateHostPorts(containers: readonly AnyContainer[], at: string, report: Report): void {
  const taken = new Set<string>();
  containers.forEach(({ ports }, index) =>
    ports?.forEach(({ hostPort, hostIP, protocol }, portIndex) => {
      if (!hostPort) return;
      const key = `${protocol ?? ''}/${hostIP ?? ''}/${String(hostPort)}`;
      if (taken.has(key)) report.duplicate(`${at}[${String(index)}].ports[${String(portIndex)}].hostPort`, key);
      taken.add(key);
    }),
  );
}

/** On the host network a container listens on the ports of the host. Init containers are exempt. */
function validateHostNetworkPorts(containers: readonly Container[], at: string, report: Report): void {
  containers.forEach(({ ports }, index) =>
    ports?.forEach(({ hostPort, containerPort }, portIndex) => {
      if (hostPort === containerPort) return;
      const field = `${at}[${String(index)}].ports[${String(portIndex)}].hostPort`;
      report.add(field, 'must be equal to containerPort when hostNetwork is true');
    }),
  );
}

/** Checks that a container uses claims that its pod has. */
function validateClaims({ resources }: AnyContainer, spec: PodSpec, at: string, report: Report): void {
  const ofPod = new Set(spec.resourceClaims?.map(({ name }) => name));
  const seen = new Set<string>();
  resources?.claims?.forEach(({ name, request }, index) => {
    const field = `${at}[${String(index)}]`;
    if (!name) return report.required(field);
    const key = `${name}/${request ?? ''}`;
    if (seen.has(key)) report.duplicate(field, name);
    seen.add(key);
    if (!ofPod.has(name)) report.add(field, `${JSON.stringify(name)} is not one of spec.resourceClaims`);
  });
}

function validateResizePolicy({ resizePolicy }: AnyContainer, spec: PodSpec, at: string, report: Report): void {
  const names = new Set<string>();
  resizePolicy?.forEach(({ resourceName, restartPolicy }, index) => {
    if (names.has(resourceName)) report.duplicate(`${at}[${String(index)}]`, resourceName);
    names.add(resourceName);
    report.oneOf(at, resourceName, ['cpu', 'memory']);
    report.oneOf(at, restartPolicy, ['NotRequired', 'RestartContainer']);
    if (spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      report.add(at, 'must be NotRequired in a pod with restartPolicy: Never');
    }
  });
}

/** A container's own restart policy, and its rules for exit codes (KEP-5307). */
function validateRestartRules({ restartPolicy, restartPolicyRules }: AnyContainer, at: string, report: Report): void {
  if (restartPolicy !== undefined) report.oneOf(`${at}.restartPolicy`, restartPolicy, ['Always', 'OnFailure', 'Never']);
  else if (restartPolicyRules?.length) report.required(`${at}.restartPolicy`, 'is required beside restartPolicyRules');
  if ((restartPolicyRules?.length ?? 0) > 20) report.add(`${at}.restartPolicyRules`, 'has more than 20 rules');
  restartPolicyRules?.forEach(({ action, exitCodes }, index) => {
    const field = `${at}.restartPolicyRules[${String(index)}]`;
    report.oneOf(`${field}.action`, action, ['Restart', 'RestartAllContainers']);
    if (!exitCodes) return report.required(`${field}.exitCodes`);
    report.oneOf(`${field}.exitCodes.operator`, exitCodes.operator, ['In', 'NotIn']);
    const count = exitCodes.values?.length ?? 0;
    if (count === 0 || count > 255) report.add(`${field}.exitCodes.values`, 'must have 1 to 255 values');
  });
}
