import type { Context, Logger } from '@opentelemetry/api';
import { messageOf } from '@shallot/core/plugin';
import type { Redactor } from '@shallot/core/plugin';

import type { Activity, ModelActivity, RunSink, Sink } from '../observe/activity.ts';
import { modelContent } from './content.ts';
import { errorType } from './error-type.ts';
import { loggerSource, type OtelApi } from './otel-api.ts';
import type { RunAttributes } from './run-attributes.ts';
import { attribute, event } from './semconv.ts';
import { failureOf, modelAttributes, type Subject } from './span-attributes.ts';

export interface EventSettings extends Subject {
  /** The attributes of the application. */
  readonly attributes: RunAttributes;
  /** True if messages are recorded, one event per model call. */
  readonly content: boolean;
  readonly redactor: Redactor;
}

/** Makes events of model calls by the GenAI conventions, while a logger provider is registered. */
export function eventSink(api: OtelApi, settings: EventSettings): Sink {
  const loggerNow = loggerSource(api, settings.edition);
  return {
    name: 'OpenTelemetry events',
    observe: () => {
      const logger = loggerNow();
      return logger && new RunEvents(api, logger, settings);
    },
  };
}

/** The events of one run. */
class RunEvents implements RunSink {
  readonly #api: OtelApi;
  readonly #logger: Logger;
  readonly #settings: EventSettings;

  constructor(api: OtelApi, logger: Logger, settings: EventSettings) {
    this.#api = api;
    this.#logger = logger;
    this.#settings = settings;
  }

  ended(activity: Activity): void {
    if (activity.kind !== 'model') return;
    const context = this.#contextOf(activity);
    if (this.#settings.content) this.#logDetails(activity, context);
    if (activity.failure !== undefined) this.#logException(activity.failure, context);
  }

  #logDetails(activity: ModelActivity, context: Context): void {
    const { attributes, edition, redactor } = this.#settings;
    const about = {
      ...attributes.of(activity.run).spans,
      ...modelAttributes(activity, edition),
      [attribute.errorType]: failureOf(activity),
      ...modelContent(activity, edition),
    };
    const known = Object.entries(about).filter(([, value]) => value !== undefined);
    this.#logger.emit({
      eventName: event.details,
      context,
      // The redactor keeps JSON valid.
      attributes: redactor.value(Object.fromEntries(known)) as Record<string, string>,
    });
  }

  #logException(failure: unknown, context: Context): void {
    const { text } = this.#settings.redactor;
    const stack = failure instanceof Error ? failure.stack : undefined;
    this.#logger.emit({
      eventName: event.exception,
      severityNumber: this.#api.SeverityNumber.WARN,
      severityText: 'WARN',
      context,
      attributes: {
        [attribute.exceptionType]: text(errorType(failure)),
        [attribute.exceptionMessage]: text(messageOf(failure)),
        ...(stack === undefined ? {} : { [attribute.exceptionStack]: text(stack) }),
      },
    });
  }

  #contextOf({ span }: ModelActivity): Context {
    const { trace, context } = this.#api;
    return span === undefined ? context.active() : trace.setSpanContext(context.active(), span);
  }
}
