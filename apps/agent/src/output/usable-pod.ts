import type { Pod } from '@rxlet/kube-api';
import { shapeProblem, withoutNulls } from '@rxlet/kube-api/shape';
import { type ObjectTable, tables } from '@rxlet/kube-api/tables';

const POD = tables['io.k8s.api.core.v1.Pod'];
/** Parts of a pod of which single fields are left out. */
const PARTS: Readonly<Record<string, ObjectTable>> = {
  metadata: tables['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'],
  spec: tables['io.k8s.api.core.v1.PodSpec'],
  status: tables['io.k8s.api.core.v1.PodStatus'],
};

/** Returns a pod that a table or a description can show: without fields that are null or of a wrong shape. */
export function usablePod(pod: Pod): Pod {
  const parts = Object.entries(PARTS).map(([name, table]) => [name, usablePart(pod[name as keyof Pod], table)]);
  const usable: Pod = { ...pod, ...(Object.fromEntries(parts) as Pod) };
  return withoutNulls({ ...usable, spec: { ...usable.spec, containers: usable.spec?.containers ?? [] } }, POD);
}

function usablePart(part: unknown, table: ObjectTable): object {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return {};
  const fields = Object.entries(part) as [string, unknown][];
  return Object.fromEntries(fields.filter(([name, value]) => shapeProblem({ [name]: value }, table) === undefined));
}
