import { type EmulatedAnswer, json } from '../server.js';

/** Google's own words for its statuses. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ALREADY_EXISTS',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** A refusal of Compute Engine, as it answers it. */
export class GceRefusal extends Error {
  override readonly name = 'GceRefusal';
  readonly status: number;
  /** The machine-readable word of it, such as `notFound`. */
  readonly reason: string;
  readonly domain: string;
  readonly details: readonly unknown[];

  constructor(status: number, reason: string, message: string, more: { domain?: string; details?: unknown[] } = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.domain = more.domain ?? 'global';
    this.details = more.details ?? [];
  }
}

/** @param field where in the request, as `resource.name` */
export function invalidValue(field: string, value: unknown, why: string): GceRefusal {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return new GceRefusal(400, 'invalid', `Invalid value for field '${field}': '${text}'. ${why}`);
}

/** @param path of the resource, from `projects/` on */
export function notFound(path: string): GceRefusal {
  return new GceRefusal(404, 'notFound', `The resource '${path}' was not found`);
}

export function unauthenticated(): GceRefusal {
  const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
  return new GceRefusal(401, 'authError', message);
}

export function forbidden(permission: string, path: string): GceRefusal {
  return new GceRefusal(403, 'forbidden', `Required '${permission}' permission for '${path}'`);
}

/** A rate quota of the project is used up until the minute turns. */
export function rateLimited(metric: string, project: string): GceRefusal {
  const message =
    `Quota exceeded for quota metric '${metric}' and limit '${metric} per minute' of service ` +
    `'compute.googleapis.com' for consumer 'project:${project}'.`;
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'RATE_LIMIT_EXCEEDED',
    domain: 'googleapis.com',
    metadata: { service: 'compute.googleapis.com', quota_metric: metric, quota_limit: `${metric} per minute` },
  };
  return new GceRefusal(403, 'rateLimitExceeded', message, { domain: 'usageLimits', details: [info] });
}

/** `refusal` as it is sent. */
export function errorAnswer(refusal: GceRefusal): EmulatedAnswer {
  const { status, reason, domain, message, details } = refusal;
  return json(status, {
    error: {
      code: status,
      message,
      errors: [{ message, domain, reason }],
      status: STATUS_WORDS[status] ?? 'UNKNOWN',
      ...(details.length > 0 && { details }),
    },
  });
}
