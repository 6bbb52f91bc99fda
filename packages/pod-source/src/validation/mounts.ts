import type { Container, Volume, VolumeMount } from '@rxlet/kube-api';
import { checkDescendingPath, checkNoBacksteps } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

/** The valid volumes of a pod, by name. */
export type VolumesByName = ReadonlyMap<string, Volume>;
type Mounting = Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;

/** Checks where a container mounts the volumes of its pod. */
export function validateMounts(container: Mounting, volumes: VolumesByName, at: string, report: Report): void {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const mountPaths = new Set<string>();
  const deviceNames = new Set(volumeDevices.map(({ name }) => name));
  const devicePaths = new Set(volumeDevices.map(({ devicePath }) => devicePath));
  volumeMounts.forEach((mount, index) => {
    const field = `${at}.volumeMounts[${String(index)}]`;
    if (!mount.name) report.required(`${field}.name`);
    if (!volumes.has(mount.name ?? ''))
      report.add(`${field}.name`, `there is no valid volume ${JSON.stringify(mount.name ?? '')}`);
    if (!mount.mountPath) report.required(`${field}.mountPath`);
    else if (mountPaths.has(mount.mountPath)) report.add(`${field}.mountPath`, `${mount.mountPath} is mounted twice`);
    mountPaths.add(mount.mountPath ?? '');
    if (deviceNames.has(mount.name)) report.add(`${field}.name`, 'is in volumeDevices too');
    if (devicePaths.has(mount.mountPath)) {
      report.add(`${field}.mountPath`, 'is a path in volumeDevices too');
    }
    validateSubPath(mount, `${at}.volumeMounts`, index, report);
    validatePropagation(mount, container.securityContext?.privileged === true, `${at}.volumeMounts`, report);
  });
  validateDevices(container, volumes, at, report);
}

function validateSubPath({ subPath, subPathExpr }: VolumeMount, list: string, index: number, report: Report): void {
  if (subPath) report.check(`${list}.subPath`, checkDescendingPath(subPath));
  if (!subPathExpr) return;
  if (subPath) report.add(`${list}[${String(index)}].subPathExpr`, 'must not be set beside subPath');
  report.check(`${list}.subPathExpr`, checkDescendingPath(subPathExpr));
}

function validatePropagation(mount: VolumeMount, privileged: boolean, list: string, report: Report): void {
  const { mountPropagation, recursiveReadOnly, readOnly } = mount;
  if (mountPropagation !== undefined) {
    report.oneOf(`${list}.mountPropagation`, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']);
    if (mountPropagation === 'Bidirectional' && !privileged) {
      report.forbidden(`${list}.mountPropagation`, 'Bidirectional is for privileged containers only');
    }
  }
  if (recursiveReadOnly === undefined) return;
  report.oneOf(`${list}.recursiveReadOnly`, recursiveReadOnly, ['Disabled', 'IfPossible', 'Enabled']);
  if (recursiveReadOnly !== 'IfPossible' && recursiveReadOnly !== 'Enabled') return;
  if (readOnly !== true) report.forbidden(`${list}.recursiveReadOnly`, 'may be set only beside readOnly: true');
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    report.forbidden(`${list}.recursiveReadOnly`, 'may be set only where mountPropagation is None');
  }
}

function validateDevices(container: Mounting, volumes: VolumesByName, at: string, report: Report): void {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  const mountNames = new Set(volumeMounts.map((mount) => mount.name));
  const mountPaths = new Set(volumeMounts.map((mount) => mount.mountPath));
  volumeDevices.forEach(({ name = '', devicePath = '' }, index) => {
    const field = `${at}.volumeDevices[${String(index)}]`;
    const volume = volumes.get(name);
    if (name === '') report.required(`${field}.name`);
    if (names.has(name)) report.add(`${field}.name`, `${JSON.stringify(name)} is used twice`);
    if (volume === undefined) report.add(`${field}.name`, `there is no valid volume ${JSON.stringify(name)}`);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      report.add(`${field}.name`, 'must be a volume of type persistentVolumeClaim or ephemeral');
    }
    if (devicePath === '') report.required(`${field}.devicePath`);
    if (paths.has(devicePath)) report.add(`${field}.devicePath`, `${JSON.stringify(devicePath)} is used twice`);
    report.check(`${field}.devicePath`, checkNoBacksteps(devicePath));
    if (mountNames.has(name)) report.add(`${field}.name`, 'is in volumeMounts too');
    if (mountPaths.has(devicePath)) report.add(`${field}.devicePath`, 'is a path in volumeMounts too');
    names.add(name);
    paths.add(devicePath);
  });
}
