import type { NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, VolumeNodeAffinity } from '@rxlet/kube-api';

/** Labels for the zone and the region of a volume, of which Kubernetes has had two pairs. */
interface TopologyLabels {
  readonly zone: string;
  readonly region: string;
}

const CURRENT: TopologyLabels = { zone: 'topology.kubernetes.io/zone', region: 'topology.kubernetes.io/region' };
const BETA: TopologyLabels = {
  zone: 'failure-domain.beta.kubernetes.io/zone',
  region: 'failure-domain.beta.kubernetes.io/region',
};

/** Returns the zones in a label of a persistent volume; that of a volume in several zones has all of them. */
export function zonesOf({ metadata }: PersistentVolume): readonly string[] {
  return zonesIn(metadata?.labels?.[BETA.zone] || metadata?.labels?.[CURRENT.zone]);
}

/**
 * Returns the node affinity of a persistent volume with the zone in a driver's topology. The zone is that of the affinity, or else that of the labels. Nodes have the
 * current label for the region alone.
 */
export function zonalAffinity(volume: PersistentVolume, zoneKey: string): VolumeNodeAffinity | undefined {
  const labels = labelsOf(volume);
  const affinity = withKey(
    volume.spec?.nodeAffinity,
    labels.zone,
    zoneKey,
    zonesIn(volume.metadata?.labels?.[labels.zone]),
  );
  return labels === BETA ? withKey(affinity, BETA.region, CURRENT.region, []) : affinity;
}

/** Returns the node affinity of a persistent volume with zone and region in a driver's topology. Each is that of the affinity, or else that of the labels. */
export function regionalAffinity(
  volume: PersistentVolume,
  { zone, region }: TopologyLabels,
): VolumeNodeAffinity | undefined {
  const names = labelsOf(volume);
  const values = volume.metadata?.labels ?? {};
  const affinity = withKey(volume.spec?.nodeAffinity, names.zone, zone, trimmed([values[names.zone] ?? '']));
  return withKey(affinity, names.region, region, trimmed([values[names.region] ?? '']));
}

/** Returns the pair of labels that a volume uses, in its affinity before its own labels. */
function labelsOf({ metadata, spec }: PersistentVolume): TopologyLabels {
  const pairs = [CURRENT, BETA];
  return (
    pairs.find(({ zone }) => requirementsOf(spec?.nodeAffinity).some(({ key }) => key === zone)) ??
    pairs.find(({ zone }) => metadata?.labels?.[zone] !== undefined) ??
    CURRENT
  );
}

/** Renames a key of an affinity that has values for it; otherwise adds the other key with these values, if there are any, to all terms. */
function withKey(
  affinity: VolumeNodeAffinity | undefined,
  key: string,
  newKey: string,
  values: readonly string[],
): VolumeNodeAffinity | undefined {
  const hasValues = requirementsOf(affinity).some((one) => one.key === key && (one.values ?? []).length > 0);
  if (hasValues)
    return mapTerms(affinity, (requirements) =>
      requirements.map((one) => (one.key === key ? { ...one, key: newKey } : one)),
    );
  if (values.length === 0) return affinity;
  return mapTerms(affinity, (requirements) => [...requirements, { key: newKey, operator: 'In', values }]);
}

function requirementsOf(affinity: VolumeNodeAffinity | undefined): readonly NodeSelectorRequirement[] {
  return (affinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions }) => matchExpressions ?? []);
}

function mapTerms(
  affinity: VolumeNodeAffinity | undefined,
  change: (requirements: readonly NodeSelectorRequirement[]) => readonly NodeSelectorRequirement[],
): VolumeNodeAffinity {
  const { nodeSelectorTerms = [] } = affinity?.required ?? {};
  const terms: readonly NodeSelectorTerm[] = nodeSelectorTerms.length === 0 ? [{}] : nodeSelectorTerms;
  return {
    required: {
      nodeSelectorTerms: terms.map((term) => ({ ...term, matchExpressions: change(term.matchExpressions ?? []) })),
    },
  };
}

function zonesIn(label = ''): readonly string[] {
  return trimmed(label.split('__')).toSorted();
}

function trimmed(values: readonly string[]): readonly string[] {
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))];
}
