const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** Reports whether a resource is one of huge pages, such as `hugepages-2Mi`. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Reports whether a resource is provided by devices or by the cluster, not by Kubernetes: it has a domain of its own. */
export function isExtendedResource(name: string): boolean {
  if (!name.includes('/') || name.includes('kubernetes.io/') || name.startsWith('requests.')) return false;
  const [prefix = '', rest = '', ...more] = `requests.${name}`.split('/');
  return (
    more.length === 0 &&
    prefix.length <= 253 &&
    rest.length <= 63 &&
    DNS_SUBDOMAIN.test(prefix) &&
    QUALIFIED_NAME.test(rest)
  );
}
