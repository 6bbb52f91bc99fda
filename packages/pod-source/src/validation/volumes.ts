import type { DownwardAPIVolumeFile, KeyToPath, PodSpec, ProjectedVolumeSource, Volume } from '@rxlet/kube-api';
import { compareQuantities, makeQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import { validateFieldRef, validateResourceFieldRef } from './downward-api.ts';
import type { VolumesByName } from './mounts.ts';
import { checkDescendingPath, checkDnsLabel, checkNoBacksteps, checkVolumeFilePath } from '@rxlet/pod-model/validation';
import { createReport, type Report } from '@rxlet/pod-model/validation';

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const MAX_MODE = 0o777;

/** Checks the volumes of a pod. @returns the valid ones: a mount of another one is reported too. */
export function validateVolumes(spec: PodSpec, at: string, report: Report): VolumesByName {
  const valid = new Map<string, Volume>();
  spec.volumes?.forEach((volume, index) => {
    const field = `${at}[${String(index)}]`;
    const own = createReport();
    validateSource(volume, spec, field, own);
    if (!volume.name) own.required(`${field}.name`);
    else own.check(`${field}.name`, checkDnsLabel(volume.name));
    if (valid.has(volume.name)) own.duplicate(`${field}.name`, volume.name);
    for (const problem of own.problems) report.add(problem.field, problem.message);
    if (own.problems.length === 0) valid.set(volume.name, volume);
  });
  return valid;
}

type SourceKind = Exclude<keyof Volume, 'name'>;
type SourceCheck<K extends SourceKind> = (
  source: NonNullable<Volume[K]>,
  at: string,
  report: Report,
  spec: PodSpec,
) => void;

/** Checks of each kind of volume, in the order of evaluation. */
const sourceChecks: { readonly [K in SourceKind]: SourceCheck<K> } = {
  emptyDir({ sizeLimit }, at, report) {
    if (sizeLimit !== undefined && compareQuantities(parseQuantity(sizeLimit), makeQuantity(0)) < 0) {
      report.forbidden(`${at}.sizeLimit`, `${String(sizeLimit)} is negative`);
    }
  },
  hostPath({ path, type }, at, report) {
    if (!path) return report.required(`${at}.path`);
    report.check(`${at}.path`, checkNoBacksteps(path));
    report.oneOf(`${at}.type`, type, hostPathTypes);
  },
  gitRepo({ repository, directory }, at, report) {
    if (!repository) report.required(`${at}.repository`);
    if (directory) report.check(`${at}.directory`, checkDescendingPath(directory));
  },
  gcePersistentDisk: requires('pdName'),
  awsElasticBlockStore: requires('volumeID'),
  secret({ secretName, items, defaultMode }, at, report) {
    if (!secretName) report.required(`${at}.secretName`);
    validateMode(defaultMode, `${at}.defaultMode`, report);
    validateItems(items, `${at}.items`, report);
  },
  nfs({ server, path }, at, report) {
    if (!server) report.required(`${at}.server`);
    if (!path) report.required(`${at}.path`);
    else if (!path.startsWith('/')) report.add(`${at}.path`, `${JSON.stringify(path)} must be an absolute path`);
  },
  iscsi(source, at, report) {
    requires('targetPortal', 'iqn')(source, at, report);
    if ((source.lun ?? 0) < 0 || (source.lun ?? 0) > 255) report.add(`${at}.lun`, 'is not between 0 and 255');
    if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) report.required(`${at}.secretRef`);
  },
  glusterfs: requires('endpoints', 'path'),
  flocker: (source, at, report) => {
    if (!source.datasetName && !source.datasetUUID) report.required(at, 'must have datasetName or datasetUUID');
  },
  persistentVolumeClaim: requires('claimName'),
  rbd: requires('monitors', 'image'),
  cinder(source, at, report) {
    requires('volumeID')(source, at, report);
    if (source.secretRef && !source.secretRef.name) report.required(`${at}.secretRef.name`);
  },
  cephfs: requires('monitors'),
  quobyte: requires('registry', 'volume'),
  downwardAPI({ defaultMode, items }, at, report) {
    validateMode(defaultMode, `${at}.defaultMode`, report);
    for (const file of items ?? []) validateDownwardFile(file, at, report);
  },
  fc({ targetWWNs, wwids, lun }, at, report) {
    if (!targetWWNs?.length && !wwids?.length) report.required(`${at}.targetWWNs`, 'targetWWNs or wwids are required');
    if (targetWWNs?.length && lun === undefined) report.required(`${at}.lun`, 'is required with targetWWNs');
  },
  flexVolume(source, at, report) {
    requires('driver')(source, at, report);
    for (const key of Object.keys(source.options ?? {})) {
      if (/(?:^|\.)(?:kubernetes|k8s)\.io$/i.test(key.split('/', 1)[0]!)) {
        report.add(`${at}.options[${key}]`, 'is in a namespace that is reserved');
      }
    }
  },
  configMap({ name, items, defaultMode }, at, report) {
    if (!name) report.required(`${at}.name`);
    validateMode(defaultMode, `${at}.defaultMode`, report);
    validateItems(items, `${at}.items`, report);
  },
  azureFile: requires('secretName', 'shareName'),
  vsphereVolume: requires('volumePath'),
  photonPersistentDisk: requires('pdID'),
  portworxVolume: requires('volumeID'),
  azureDisk: requires('diskName', 'diskURI'),
  storageos: requires('volumeName'),
  projected: validateProjected,
  scaleIO: requires('gateway', 'system', 'volumeName'),
  csi(source, at, report) {
    requires('driver')(source, at, report);
    if (source.nodePublishSecretRef && !source.nodePublishSecretRef.name)
      report.required(`${at}.nodePublishSecretRef.name`);
  },
  ephemeral: requires('volumeClaimTemplate'),
  image({ reference, pullPolicy }, at, report) {
    if (!reference) report.required(`${at}.reference`);
    report.oneOf(`${at}.pullPolicy`, pullPolicy, ['Always', 'IfNotPresent', 'Never']);
  },
};

function validateSource(volume: Volume, spec: PodSpec, at: string, report: Report): void {
  let sources = 0;
  for (const kind of Object.keys(sourceChecks) as SourceKind[]) {
    const source = volume[kind];
    if (source === undefined) continue;
    sources += 1;
    const field = `${at}.${kind}`;
    if (sources > 1) report.forbidden(field, 'is a second type; a volume has one');
    else (sourceChecks[kind] as SourceCheck<typeof kind>)(source, field, report, spec);
  }
  if (sources === 0) report.required(at, 'must have a volume type');
}

function requires(...fields: readonly string[]): (source: object, at: string, report: Report) => void {
  return (source, at, report) => {
    for (const field of fields) if (!(field in source)) report.required(`${at}.${field}`);
  };
}

function validateMode(mode: number | undefined, at: string, report: Report): void {
  if (mode !== undefined && (mode < 0 || mode > MAX_MODE)) report.add(at, 'is not between 0 and 0777');
}

function validateItems(items: readonly KeyToPath[] | undefined, at: string, report: Report): void {
  items?.forEach(({ key, path, mode }, index) => {
    const field = `${at}[${String(index)}]`;
    if (!key) report.required(`${field}.key`);
    if (!path) report.required(`${field}.path`);
    else report.check(`${field}.path`, checkVolumeFilePath(path));
    validateMode(mode, `${field}.mode`, report);
  });
}

function validateDownwardFile(file: DownwardAPIVolumeFile, at: string, report: Report): void {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  if (!path) report.required(`${at}.path`);
  else report.check(`${at}.path`, checkVolumeFilePath(path));
  if (fieldRef) {
    validateFieldRef(fieldRef, 'volume', `${at}.fieldRef`, report);
    if (resourceFieldRef) report.add(at, 'must not have both fieldRef and resourceFieldRef');
  } else if (resourceFieldRef) validateResourceFieldRef(resourceFieldRef, 'volume', `${at}.resourceFieldRef`, report);
  else report.required(at, 'must have fieldRef or resourceFieldRef');
  validateMode(mode, `${at}.mode`, report);
}

function validateProjected(
  { defaultMode, sources }: ProjectedVolumeSource,
  at: string,
  report: Report,
  spec: PodSpec,
): void {
  validateMode(defaultMode, `${at}.defaultMode`, report);
  const paths = new Set<string>();
  const takePath = (path: string | undefined): void => {
    if (!path) return;
    if (paths.has(path)) report.add(at, `several sources put a file at ${JSON.stringify(path)}`);
    paths.add(path);
  };
  sources?.forEach((source, index) => {
    const field = `${at}.sources[${String(index)}]`;
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    for (const [kind, keyed] of Object.entries({ secret, configMap })) {
      if (keyed === undefined) continue;
      if (!keyed.name) report.required(`${field}.${kind}.name`);
      validateItems(keyed.items, `${field}.${kind}.items`, report);
      for (const { path } of keyed.items ?? []) takePath(path);
    }
    for (const file of downwardAPI?.items ?? []) {
      validateDownwardFile(file, `${field}.downwardAPI`, report);
      takePath(file.path);
    }
    if (serviceAccountToken) {
      const { expirationSeconds = 3600, path } = serviceAccountToken;
      if (expirationSeconds < 600 || expirationSeconds > 2 ** 32) {
        report.add(`${field}.serviceAccountToken.expirationSeconds`, 'is not between 600 and 4294967296');
      }
      if (!path) report.required(`${at}.path`);
      else report.check(`${at}.path`, checkVolumeFilePath(path));
      if (!spec.serviceAccountName) {
        report.forbidden(`${field}.serviceAccountToken`, 'must not be used without a serviceAccountName');
      }
    }
    if (Object.keys(source).length > 1) report.forbidden(field, 'has more than one type');
  });
}
