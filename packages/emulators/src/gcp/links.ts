/** How resources are named in requests and answers. */
export interface Links {
  /** `path` from `projects/` on, as a URL: the resource's `selfLink`. */
  link(path: string): string;
  /** From `projects/` on, of whatever form of a resource's name the API takes: a URL, such a path, or one without the project. */
  path(written: string): string;
  readonly project: string;
}

const HOSTS = /^https?:\/\/[^/]+\/compute\/(?:v1|beta)\//;

/** @param base the address of the API, without a slash at its end */
export function linksOf(base: string, project: string): Links {
  return {
    project,
    link: (path) => `${base}/compute/v1/${path}`,
    path(written) {
      const path = written.replace(HOSTS, '').replace(/^\/+/, '');
      return path.startsWith('projects/') ? path : `projects/${project}/${path}`;
    },
  };
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
