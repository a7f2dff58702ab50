var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name3 in all)
    __defProp(target, name3, { get: all[name3], enumerable: true });
};

// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
  const numericValues = Object.values(entries).filter((v) => typeof v === "number");
  const values = Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
  return values;
}
function jsonStringifyReplacer(_, value) {
  if (typeof value === "bigint")
    return value.toString();
  return value;
}
function cached(getter) {
  return new Cached(getter);
}
function nullish(input) {
  return input === null || input === void 0;
}
function cleanRegex(source) {
  const start = source.startsWith("^") ? 1 : 0;
  const end = source.endsWith("$") ? source.length - 1 : source.length;
  return source.slice(start, end);
}
function defineLazy(object2, key, getter) {
  let value = void 0;
  Object.defineProperty(object2, key, {
    get() {
      if (value === EVALUATING) {
        return void 0;
      }
      if (value === void 0) {
        value = EVALUATING;
        value = getter();
      }
      return value;
    },
    set(v) {
      Object.defineProperty(object2, key, {
        value: v
        // configurable: true,
      });
    },
    configurable: true
  });
}
function assignProp(target, prop, value) {
  Object.defineProperty(target, prop, {
    value,
    writable: true,
    enumerable: true,
    configurable: true
  });
}
function rawShape(def) {
  const desc = Object.getOwnPropertyDescriptor(def, "shape");
  return desc?.get ? desc.get.raw : desc?.value;
}
function sourceShape(schema) {
  return rawShape(schema._zod.def) ?? schema._zod.def.shape;
}
function deferProp(target, key, getter) {
  Object.defineProperty(target, key, {
    get() {
      const value = getter();
      assignProp(this, key, value);
      return value;
    },
    enumerable: true,
    configurable: true
  });
}
function putProp(target, key, value) {
  if (key in target)
    assignProp(target, key, value);
  else
    target[key] = value;
}
function mirrorShape(target, source, keys, wrap) {
  const raw = sourceShape(source);
  for (const key of keys) {
    const desc = Object.getOwnPropertyDescriptor(raw, key);
    if (!desc.enumerable)
      continue;
    if (desc.get) {
      deferProp(target, key, () => {
        const value = source._zod.def.shape[key];
        return wrap ? wrap(value, key) : value;
      });
    } else
      putProp(target, key, wrap ? wrap(desc.value, key) : desc.value);
  }
}
function mirrorProps(target, source) {
  for (const key of Reflect.ownKeys(source)) {
    const desc = Object.getOwnPropertyDescriptor(source, key);
    if (!desc.enumerable)
      continue;
    if (desc.get)
      deferProp(target, key, () => source[key]);
    else
      putProp(target, key, desc.value);
  }
}
function mergeDefs(...defs) {
  const mergedDescriptors = {};
  for (const def of defs) {
    const descriptors = Object.getOwnPropertyDescriptors(def);
    Object.assign(mergedDescriptors, descriptors);
  }
  return Object.defineProperties({}, mergedDescriptors);
}
function isObject(data) {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
function isPlainObject(o) {
  if (isObject(o) === false)
    return false;
  const ctor = o.constructor;
  if (ctor === void 0)
    return true;
  if (typeof ctor !== "function")
    return true;
  const prot = ctor.prototype;
  if (isObject(prot) === false)
    return false;
  if (Object.prototype.hasOwnProperty.call(prot, "isPrototypeOf") === false) {
    return false;
  }
  return true;
}
function shallowClone(o) {
  if (isPlainObject(o))
    return { ...o };
  if (Array.isArray(o))
    return [...o];
  if (o instanceof Map)
    return new Map(o);
  if (o instanceof Set)
    return new Set(o);
  return o;
}
function escapeRegex(str) {
  return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
  const cl = new inst._zod.constr(def ?? inst._zod.def);
  if (!def || params?.parent)
    cl._zod.parent = inst;
  return cl;
}
function normalizeParams(_params) {
  const params = _params;
  if (!params)
    return {};
  if (typeof params === "string")
    return { error: () => params };
  if (params?.message !== void 0) {
    if (params?.error !== void 0)
      throw new Error("Cannot specify both `message` and `error` params");
    params.error = params.message;
  }
  delete params.message;
  if (typeof params.error === "string")
    return { ...params, error: () => params.error };
  return params;
}
function optionalKeys(shape) {
  return Object.keys(shape).filter((k) => {
    return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
  });
}
function extend(schema, shape) {
  if (!isPlainObject(shape)) {
    throw new Error("Invalid input to extend: expected a plain object");
  }
  const checks = schema._zod.def.checks;
  const hasChecks = checks && checks.length > 0;
  if (hasChecks) {
    const existingShape = sourceShape(schema);
    for (const key of Reflect.ownKeys(shape)) {
      if (Object.getOwnPropertyDescriptor(existingShape, key) !== void 0) {
        throw new Error("Cannot overwrite keys on object schemas containing refinements. Use `.safeExtend()` instead.");
      }
    }
  }
  return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function extended(schema, shape) {
  const newShape = {};
  mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)));
  mirrorProps(newShape, shape);
  return newShape;
}
function aborted(x, startIndex = 0) {
  if (x.aborted === true)
    return true;
  for (let i = startIndex; i < x.issues.length; i++) {
    if (x.issues[i]?.continue !== true) {
      return true;
    }
  }
  return false;
}
function explicitlyAborted(x, startIndex = 0) {
  if (x.aborted === true)
    return true;
  for (let i = startIndex; i < x.issues.length; i++) {
    if (x.issues[i]?.continue === false) {
      return true;
    }
  }
  return false;
}
function prefixIssues(path, issues) {
  return issues.map((iss) => {
    var _a3;
    (_a3 = iss).path ?? (_a3.path = []);
    iss.path.unshift(path);
    return iss;
  });
}
function unwrapMessage(message) {
  return typeof message === "string" ? message : message?.message;
}
function sizeCaps(defChecks) {
  const caps = [];
  for (const ch of defChecks ?? []) {
    const d = ch._zod.def;
    if (!/_(length|size)$|_equals$/.test(d.check))
      break;
    const max = d.maximum ?? d.length ?? d.size;
    if (max >= 0)
      caps.push([max, ch]);
  }
  return caps;
}
function attachSchema(issues, start, inst) {
  var _a3;
  for (let i = start; i < issues.length; i++) {
    (_a3 = issues[i]).schema ?? (_a3.schema = inst);
  }
}
function finalizeIssue(iss, ctx, config2) {
  var _a3;
  const traits = iss.inst?._zod?.traits;
  if (traits?.has("$ZodType")) {
    if (traits.has("$ZodCheck"))
      (_a3 = iss).schema ?? (_a3.schema = iss.inst);
    else
      iss.schema = iss.inst;
  }
  const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
  const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config2.customError?.(iss)) ?? unwrapMessage(config2.localeError?.(iss)) ?? "Invalid input";
  const full = {};
  for (const k of Object.keys(iss)) {
    if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__")
      continue;
    full[k] = iss[k];
  }
  full.path ?? (full.path = []);
  full.message = message;
  if (ctx?.reportInput) {
    full.input = iss.input;
  }
  return full;
}
function codePointLength(str) {
  const units = str.length;
  if (!highSurrogate.test(str))
    return units;
  let count = units;
  for (let i = 0; i < units - 1; i++) {
    if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
      count--;
      i++;
    }
  }
  return count;
}
function getLengthableOrigin(input) {
  if (Array.isArray(input))
    return "array";
  if (typeof input === "string")
    return "string";
  return "unknown";
}
function issue(...args) {
  const [iss, input, inst] = args;
  if (typeof iss === "string") {
    return {
      message: iss,
      code: "custom",
      input,
      inst
    };
  }
  return { ...iss };
}
function members(proto, table) {
  for (const key in table) {
    const desc = Object.getOwnPropertyDescriptor(table, key);
    if (desc.get)
      Object.defineProperty(proto, key, { ...desc, enumerable: false });
    else
      defineBound(proto, key, desc.value);
  }
}
function own(inst, key, value, enumerable = true) {
  Object.defineProperty(inst, key, { configurable: true, writable: true, enumerable, value });
  return value;
}
function hide(inst, key, value) {
  return own(inst, key, value, false);
}
function defineBound(proto, key, fn) {
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      return this == null ? fn : own(this, key, fn.bind(this));
    },
    set(value) {
      own(this, key, value);
    }
  });
}
function claim(inst, sentinel) {
  const proto = Object.getPrototypeOf(inst);
  return sentinel in proto ? void 0 : proto;
}
function defineLazyInternal(inst, key, compute) {
  const proto = Object.getPrototypeOf(inst._zod);
  if (key in proto && installing !== inst._zod) {
    installing = void 0;
    return;
  }
  installing = inst._zod;
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      Object.defineProperty(this, key, breaker);
      const outer = broke;
      broke = false;
      try {
        const value = compute(this);
        if (broke)
          delete this[key];
        else
          Object.defineProperty(this, key, { configurable: true, writable: true, value });
        broke = broke || outer;
        return value;
      } catch (err) {
        delete this[key];
        broke = broke || outer;
        throw err;
      }
    },
    set(value) {
      Object.defineProperty(this, key, { configurable: true, writable: true, value });
    }
  });
}
function installLazyProp(inst, key, make, enumerable) {
  const proto = claim(inst, key);
  if (!proto)
    return;
  Object.defineProperty(proto, key, {
    configurable: true,
    get() {
      const desc = { configurable: true, writable: true, enumerable, value: void 0 };
      Object.defineProperty(this, key, desc);
      desc.value = make(this);
      Object.defineProperty(this, key, desc);
      return desc.value;
    },
    set(value) {
      Object.defineProperty(this, key, { configurable: true, writable: true, enumerable, value });
    }
  });
}
var Cached, EVALUATING, captureStackTrace, propertyKeyTypes, NUMBER_FORMAT_RANGES, highSurrogate, installing, broke, breaker;
var init_util = __esm({
  "node_modules/zod/v4/core/util.js"() {
    Cached = class {
      constructor(getter) {
        this._getter = getter;
        this._value = void 0;
      }
      get value() {
        const getter = this._getter;
        if (getter !== void 0) {
          this._value = getter();
          this._getter = void 0;
        }
        return this._value;
      }
    };
    EVALUATING = /* @__PURE__ */ Symbol("evaluating");
    captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {
    };
    propertyKeyTypes = /* @__PURE__ */ new Set(["string", "number", "symbol"]);
    NUMBER_FORMAT_RANGES = /* @__PURE__ */ (() => ({
      safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      int32: [-2147483648, 2147483647],
      uint32: [0, 4294967295],
      float32: [-34028234663852886e22, 34028234663852886e22],
      float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
    }))();
    highSurrogate = /[\uD800-\uDBFF]/;
    broke = false;
    breaker = {
      configurable: true,
      get() {
        broke = true;
        return void 0;
      }
    };
  }
});

// node_modules/zod/v4/core/core.js
function newError(Definition) {
  const E = _E;
  if (E) {
    const saved = E.stackTraceLimit;
    if (typeof saved === "number") {
      try {
        E.stackTraceLimit = 0;
      } catch {
        _E = null;
        return new Definition();
      }
      try {
        return new Definition();
      } finally {
        E.stackTraceLimit = saved;
      }
    }
  }
  return new Definition();
}
// @__NO_SIDE_EFFECTS__
function $constructor(name3, initializer2, proto, params) {
  const zodProto = {};
  function Internals(def) {
    this.def = def;
    this.constr = _;
    this.traits = /* @__PURE__ */ new Set();
  }
  Internals.prototype = zodProto;
  const protoMembers = proto;
  const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
  function init(inst, def) {
    if (!inst._zod) {
      _zodDesc.value = new Internals(def);
      try {
        Object.defineProperty(inst, "_zod", _zodDesc);
      } finally {
        _zodDesc.value = void 0;
      }
    } else if (inst._zod.traits.has(name3)) {
      return;
    }
    inst._zod.traits.add(name3);
    initializer2(inst, def);
    if (initialized) {
      const own2 = Object.getPrototypeOf(inst);
      const ctorProto = inst._zod.constr.prototype;
      let up = own2;
      while (up && up !== ctorProto)
        up = Object.getPrototypeOf(up);
      const target = up ?? own2;
      if (!initialized.has(target)) {
        initialized.add(target);
        members(target, protoMembers);
      }
    }
    const proto2 = _.prototype;
    for (const k in proto2) {
      if (!Object.prototype.hasOwnProperty.call(proto2, k))
        continue;
      if (!(k in inst)) {
        inst[k] = proto2[k].bind(inst);
      }
    }
  }
  const Parent = params?.Parent ?? Object;
  class Definition extends Parent {
  }
  Object.defineProperty(Definition, "name", { value: name3 });
  function _(def) {
    const inst = params?.Parent ? newError(Definition) : this;
    init(inst, def);
    const deferred = inst._zod.deferred;
    if (deferred) {
      for (const fn of deferred) {
        fn();
      }
      inst._zod.deferred = void 0;
    }
    const pp = globalThis.__zod_globalConfig?.postProcessor;
    if (pp)
      pp(inst);
    return inst;
  }
  Object.defineProperty(_, "init", { value: init });
  Object.defineProperty(_, Symbol.hasInstance, {
    value: (inst) => {
      if (params?.Parent && inst instanceof params.Parent)
        return true;
      return inst?._zod?.traits?.has(name3);
    }
  });
  Object.defineProperty(_, "name", { value: name3 });
  return _;
}
function config(newConfig) {
  if (newConfig)
    Object.assign(globalConfig, newConfig);
  return globalConfig;
}
var _a, _zodDesc, _E, $ZodAsyncError, $ZodEncodeError, globalConfig;
var init_core = __esm({
  "node_modules/zod/v4/core/core.js"() {
    init_util();
    _zodDesc = { value: void 0, enumerable: false };
    _E = "captureStackTrace" in Error ? Error : null;
    $ZodAsyncError = class extends Error {
      constructor() {
        super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
      }
    };
    $ZodEncodeError = class extends Error {
      constructor(name3) {
        super(`Encountered unidirectional transform during encode: ${name3}`);
        this.name = "ZodEncodeError";
      }
    };
    (_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});
    globalConfig = globalThis.__zod_globalConfig;
  }
});

// node_modules/zod/v4/core/errors.js
function _getMessage() {
  const internals = this._zod;
  internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
  return internals.message;
}
function _setMessage(value) {
  this._zod.message = value;
}
var _messageDesc, _issuesDesc, _installedToString, initializer, $ZodError, $ZodRealError;
var init_errors = __esm({
  "node_modules/zod/v4/core/errors.js"() {
    init_core();
    init_util();
    _messageDesc = {
      get: _getMessage,
      set: _setMessage,
      enumerable: true,
      configurable: true
    };
    _issuesDesc = { value: void 0, enumerable: false };
    _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
    initializer = (inst, def) => {
      inst.name = "$ZodError";
      _issuesDesc.value = def;
      Object.defineProperty(inst, "issues", _issuesDesc);
      _issuesDesc.value = void 0;
      Object.defineProperty(inst, "message", _messageDesc);
      const proto = Object.getPrototypeOf(inst);
      if (!_installedToString.has(proto)) {
        _installedToString.add(proto);
        Object.defineProperty(proto, "toString", {
          configurable: true,
          enumerable: false,
          get() {
            const value = () => this.message;
            Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
            return value;
          },
          set(value) {
            Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
          }
        });
      }
    };
    $ZodError = $constructor("$ZodError", initializer);
    $ZodRealError = $constructor("$ZodError", initializer, void 0, {
      Parent: Error
    });
  }
});

// node_modules/zod/v4/core/parse.js
function failure(Err, issues, ctx) {
  let error;
  return {
    success: false,
    get error() {
      if (!error) {
        error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
        issues = void 0;
        ctx = void 0;
      }
      return error;
    },
    set error(e) {
      error = e;
      issues = void 0;
      ctx = void 0;
    }
  };
}
var _parse, parse, _parseAsync, parseAsync, _safeParse, safeParse, _safeParseAsync, safeParseAsync;
var init_parse = __esm({
  "node_modules/zod/v4/core/parse.js"() {
    init_core();
    init_errors();
    init_util();
    _parse = (_Err) => {
      const fn = (schema, value, _ctx, _params) => {
        const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
        const result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise) {
          throw new $ZodAsyncError();
        }
        if (result.issues.length) {
          const e = new (_params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
          captureStackTrace(e, _params?.callee ?? fn);
          throw e;
        }
        return result.value;
      };
      return fn;
    };
    parse = /* @__PURE__ */ _parse($ZodRealError);
    _parseAsync = (_Err) => {
      const fn = async (schema, value, _ctx, params) => {
        const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
        let result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise)
          result = await result;
        if (result.issues.length) {
          const e = new (params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
          captureStackTrace(e, params?.callee ?? fn);
          throw e;
        }
        return result.value;
      };
      return fn;
    };
    parseAsync = /* @__PURE__ */ _parseAsync($ZodRealError);
    _safeParse = (_Err) => (schema, value, _ctx) => {
      const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
      const result = schema._zod.run({ value, issues: [] }, ctx);
      if (result instanceof Promise) {
        throw new $ZodAsyncError();
      }
      return result.issues.length ? failure(_Err, result.issues, ctx) : { success: true, data: result.value };
    };
    safeParse = /* @__PURE__ */ _safeParse($ZodRealError);
    _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
      const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
      let result = schema._zod.run({ value, issues: [] }, ctx);
      if (result instanceof Promise)
        result = await result;
      return result.issues.length ? failure(_Err, result.issues, ctx) : { success: true, data: result.value };
    };
    safeParseAsync = /* @__PURE__ */ _safeParseAsync($ZodRealError);
  }
});

// node_modules/zod/v4/core/regexes.js
function anchor(source) {
  return new RegExp(`^${source}$`);
}
function timeSource(args) {
  const hhmm = `(?:[01]\\d|2[0-3]):[0-5]\\d`;
  const regex = typeof args.precision === "number" ? args.precision === -1 ? `${hhmm}` : args.precision === 0 ? `${hhmm}:[0-5]\\d` : `${hhmm}:[0-5]\\d\\.\\d{${args.precision}}` : args.seconds ? `${hhmm}:[0-5]\\d(?:\\.\\d+)?` : `${hhmm}(?::[0-5]\\d(?:\\.\\d+)?)?`;
  return regex;
}
function time(args) {
  return new RegExp(`^${timeSource(args)}$`);
}
function datetime(args) {
  const opts = ["Z"];
  if (args.offset)
    opts.push(`([+-](?:[01]\\d|2[0-3]):[0-5]\\d)`);
  const qualified = `${timeSource({ precision: args.precision, seconds: true })}(?:${opts.join("|")})`;
  const timeRegex = args.local ? `${qualified}|${timeSource({ precision: args.precision })}` : qualified;
  return new RegExp(`^${dateSource}T(?:${timeRegex})$`);
}
var duration, uuid, httpProtocol, dateSource, date, anyString, number, boolean, _null;
var init_regexes = __esm({
  "node_modules/zod/v4/core/regexes.js"() {
    duration = /^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$/;
    uuid = (version2) => {
      if (!version2)
        return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
      return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version2}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
    };
    httpProtocol = /^https?$/;
    dateSource = `(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))`;
    date = /* @__PURE__ */ anchor(dateSource);
    anyString = /^[\s\S]{0,}$/;
    number = /^-?\d+(?:\.\d+)?$/;
    boolean = /^(?:true|false)$/i;
    _null = /^null$/i;
  }
});

// node_modules/zod/v4/core/checks.js
var $ZodCheck, _whenHasLength, numericOriginMap, $ZodCheckLessThan, $ZodCheckGreaterThan, $ZodCheckNumberFormat, $ZodCheckMaxLength, $ZodCheckMinLength, $ZodCheckStringFormat, $ZodCheckRegex;
var init_checks = __esm({
  "node_modules/zod/v4/core/checks.js"() {
    init_core();
    init_util();
    $ZodCheck = /* @__PURE__ */ $constructor("$ZodCheck", (inst, def) => {
      var _a3;
      inst._zod ?? (inst._zod = {});
      inst._zod.def = def;
      (_a3 = inst._zod).onattach ?? (_a3.onattach = []);
    });
    _whenHasLength = (payload) => {
      const val = payload.value;
      return !nullish(val) && val.length !== void 0;
    };
    numericOriginMap = {
      number: "number",
      bigint: "bigint",
      object: "date"
    };
    $ZodCheckLessThan = /* @__PURE__ */ $constructor("$ZodCheckLessThan", (inst, def) => {
      $ZodCheck.init(inst, def);
      const origin = numericOriginMap[typeof def.value];
      inst._zod.check = (payload) => {
        if (def.inclusive ? payload.value <= def.value : payload.value < def.value) {
          return;
        }
        payload.issues.push({
          origin: numericOriginMap[typeof payload.value] ?? origin,
          code: "too_big",
          maximum: typeof def.value === "object" ? def.value.getTime() : def.value,
          input: payload.value,
          inclusive: def.inclusive,
          inst,
          continue: !def.abort
        });
      };
    });
    $ZodCheckGreaterThan = /* @__PURE__ */ $constructor("$ZodCheckGreaterThan", (inst, def) => {
      $ZodCheck.init(inst, def);
      const origin = numericOriginMap[typeof def.value];
      inst._zod.check = (payload) => {
        if (def.inclusive ? payload.value >= def.value : payload.value > def.value) {
          return;
        }
        payload.issues.push({
          origin: numericOriginMap[typeof payload.value] ?? origin,
          code: "too_small",
          minimum: typeof def.value === "object" ? def.value.getTime() : def.value,
          input: payload.value,
          inclusive: def.inclusive,
          inst,
          continue: !def.abort
        });
      };
    });
    $ZodCheckNumberFormat = /* @__PURE__ */ $constructor("$ZodCheckNumberFormat", (inst, def) => {
      $ZodCheck.init(inst, def);
      def.format = def.format || "float64";
      const isInt = def.format?.includes("int");
      const origin = isInt ? "int" : "number";
      const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
      inst._zod.check = (payload) => {
        const input = payload.value;
        if (isInt) {
          if (!Number.isInteger(input)) {
            payload.issues.push({
              expected: origin,
              format: def.format,
              code: "invalid_type",
              continue: false,
              input,
              inst
            });
            return;
          }
          if (!Number.isSafeInteger(input)) {
            if (input > 0) {
              payload.issues.push({
                input,
                code: "too_big",
                maximum: Number.MAX_SAFE_INTEGER,
                note: "Integers must be within the safe integer range.",
                inst,
                origin,
                inclusive: true,
                continue: !def.abort
              });
            } else {
              payload.issues.push({
                input,
                code: "too_small",
                minimum: Number.MIN_SAFE_INTEGER,
                note: "Integers must be within the safe integer range.",
                inst,
                origin,
                inclusive: true,
                continue: !def.abort
              });
            }
            return;
          }
        }
        if (input < minimum) {
          payload.issues.push({
            origin: "number",
            input,
            code: "too_small",
            minimum,
            inclusive: true,
            inst,
            continue: !def.abort
          });
        }
        if (input > maximum) {
          payload.issues.push({
            origin: "number",
            input,
            code: "too_big",
            maximum,
            inclusive: true,
            inst,
            continue: !def.abort
          });
        }
      };
    });
    $ZodCheckMaxLength = /* @__PURE__ */ $constructor("$ZodCheckMaxLength", (inst, def) => {
      var _a3;
      $ZodCheck.init(inst, def);
      (_a3 = inst._zod.def).when ?? (_a3.when = _whenHasLength);
      inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        const length = typeof input === "string" && units > def.maximum ? codePointLength(input) : units;
        if (length <= def.maximum)
          return;
        const origin = getLengthableOrigin(input);
        payload.issues.push({
          origin,
          code: "too_big",
          maximum: def.maximum,
          inclusive: true,
          input,
          inst,
          continue: !def.abort
        });
      };
    });
    $ZodCheckMinLength = /* @__PURE__ */ $constructor("$ZodCheckMinLength", (inst, def) => {
      var _a3;
      $ZodCheck.init(inst, def);
      (_a3 = inst._zod.def).when ?? (_a3.when = _whenHasLength);
      inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        const length = typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units;
        if (length >= def.minimum)
          return;
        const origin = getLengthableOrigin(input);
        payload.issues.push({
          origin,
          code: "too_small",
          minimum: def.minimum,
          inclusive: true,
          input,
          inst,
          continue: !def.abort
        });
      };
    });
    $ZodCheckStringFormat = /* @__PURE__ */ $constructor("$ZodCheckStringFormat", (inst, def) => {
      var _a3, _b;
      $ZodCheck.init(inst, def);
      if (def.pattern)
        (_a3 = inst._zod).check ?? (_a3.check = (payload) => {
          def.pattern.lastIndex = 0;
          if (def.pattern.test(payload.value))
            return;
          payload.issues.push({
            origin: "string",
            code: "invalid_format",
            format: def.format,
            input: payload.value,
            ...def.pattern ? { pattern: def.pattern.toString() } : {},
            inst,
            continue: !def.abort
          });
        });
      else
        (_b = inst._zod).check ?? (_b.check = () => {
        });
    });
    $ZodCheckRegex = /* @__PURE__ */ $constructor("$ZodCheckRegex", (inst, def) => {
      $ZodCheckStringFormat.init(inst, def);
      inst._zod.check = (payload) => {
        def.pattern.lastIndex = 0;
        if (def.pattern.test(payload.value))
          return;
        payload.issues.push({
          origin: "string",
          code: "invalid_format",
          format: "regex",
          input: payload.value,
          pattern: def.pattern.toString(),
          inst,
          continue: !def.abort
        });
      };
    });
  }
});

// node_modules/zod/v4/core/doc.js
var init_doc = __esm({
  "node_modules/zod/v4/core/doc.js"() {
  }
});

// node_modules/zod/v4/core/versions.js
var version;
var init_versions = __esm({
  "node_modules/zod/v4/core/versions.js"() {
    version = {
      major: 4,
      minor: 6,
      patch: 7
    };
  }
});

// node_modules/zod/v4/core/schemas.js
async function validateAsync(inst, value) {
  const ctx = { async: true };
  return toStandardResult(await inst._zod.run({ value, issues: [] }, ctx), ctx);
}
function standardProps(inst) {
  return {
    validate: (value) => {
      const ctx = { async: false };
      try {
        const r = inst._zod.run({ value, issues: [] }, ctx);
        if (!(r instanceof Promise))
          return toStandardResult(r, ctx);
      } catch (_) {
      }
      return validateAsync(inst, value);
    },
    vendor: "zod",
    version: 1
  };
}
function canParseURL(input) {
  try {
    if (typeof URL !== "undefined" && typeof URL.canParse === "function")
      return URL.canParse(input);
    new URL(input);
    return true;
  } catch {
    return false;
  }
}
function validateURL(trimmed, def) {
  if (!("normalize" in def) && !("hostname" in def) && !("protocol" in def)) {
    return canParseURL(trimmed) || URL_UNPARSEABLE;
  }
  return parseURLObject(trimmed, def);
}
function parseURLObject(trimmed, def) {
  if (!def.normalize && def.protocol?.source === httpProtocol.source && !/^https?:\/\//i.test(trimmed)) {
    return URL_BAD_FORMAT;
  }
  try {
    if (typeof URL !== "undefined") {
      const URLStatic = URL;
      if (typeof URLStatic.parse === "function")
        return URLStatic.parse(trimmed) ?? URL_UNPARSEABLE;
    }
    return new URL(trimmed);
  } catch {
    return URL_UNPARSEABLE;
  }
}
function stripTabAndNewline(value) {
  return value.replace(asciiTabOrNewline, "");
}
function urlHostnameOk(url2, hostname) {
  hostname.lastIndex = 0;
  return hostname.test(url2.hostname);
}
function urlProtocolOk(url2, protocol) {
  protocol.lastIndex = 0;
  return protocol.test(url2.protocol.endsWith(":") ? url2.protocol.slice(0, -1) : url2.protocol);
}
function capSize(inst, size) {
  const caps = sizeCaps(inst._zod.def.checks);
  if (!caps.length)
    return;
  const cap = Math.min(...caps.map((c) => c[0]));
  const parse2 = inst._zod.parse;
  inst._zod.parse = (payload, ctx) => {
    const n = size(payload.value);
    if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
      for (const [max, ch] of sizeCaps(inst._zod.def.checks)) {
        if (n > max && ch._zod.def.when(payload)) {
          const start = payload.issues.length;
          ch._zod.check(payload);
          payload.issues[start].continue = false;
          attachSchema(payload.issues, start, inst);
          return payload;
        }
      }
    }
    return parse2(payload, ctx);
  };
}
function handleArrayResult(result, final, index) {
  if (result.issues.length) {
    final.issues.push(...prefixIssues(index, result.issues));
  }
  final.value[index] = result.value;
}
function handlePropertyResult(result, final, key, input, optin, optout) {
  const isPresent = key in input;
  const isOptionalOut = optout === "optional";
  if (!isPresent && isOptionalOut && optin === "optional") {
    return;
  }
  if (result.issues.length) {
    if (optin !== void 0 && isOptionalOut && !isPresent) {
      return;
    }
    final.issues.push(...prefixIssues(key, result.issues));
  }
  if (!isPresent && optin === void 0) {
    if (!result.issues.length) {
      final.issues.push({
        code: "invalid_type",
        expected: "nonoptional",
        input: void 0,
        path: [key]
      });
    }
    return;
  }
  if (result.value === void 0) {
    if (isPresent || optin === "defaulted" && !isOptionalOut) {
      final.value[key] = void 0;
    }
  } else {
    final.value[key] = result.value;
  }
}
function normalizeDef(def) {
  const keys = Object.keys(def.shape);
  const ownSymbols = Object.getOwnPropertySymbols(def.shape);
  const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
  const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
  for (const k of allKeys) {
    if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) {
      throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
    }
  }
  const okeys = optionalKeys(def.shape);
  return {
    ...def,
    allKeys,
    symbolKeys,
    // string-only: handleCatchall matches it against `for...in`, which never yields a symbol
    keySet: new Set(keys),
    numKeys: keys.length,
    optionalKeys: new Set(okeys)
  };
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
  const unrecognized = [];
  const keySet = def.keySet;
  const _catchall = def.catchall._zod;
  const t = _catchall.def.type;
  const optin = _catchall.optin;
  const optout = _catchall.optout;
  let seen = 0;
  for (const key in input) {
    if (abortEarly && payload.issues.length !== seen) {
      if (aborted(payload, seen))
        break;
      seen = payload.issues.length;
    }
    if (keySet.has(key))
      continue;
    if (key === "__proto__") {
      if (t === "never")
        unrecognized.push(key);
      continue;
    }
    if (t === "never") {
      unrecognized.push(key);
      continue;
    }
    const r = _catchall.run({ value: input[key], issues: [] }, ctx);
    if (r instanceof Promise) {
      proms.push(r.then((r2) => handlePropertyResult(r2, payload, key, input, optin, optout)));
    } else {
      handlePropertyResult(r, payload, key, input, optin, optout);
    }
  }
  if (unrecognized.length) {
    payload.issues.push({
      code: "unrecognized_keys",
      keys: unrecognized,
      input,
      inst,
      // Describes the shape of the input, not the validity of the parsed value, so it never aborts. The parse still fails; the schema's own checks just get to run first, and an enclosing intersection can reconcile the key against a sibling operand.
      continue: true
    });
  }
  if (!proms.length)
    return payload;
  return Promise.all(proms).then(() => {
    return payload;
  });
}
function handleUnionResults(results, final, inst, ctx) {
  for (const result of results) {
    if (result.issues.length === 0) {
      final.value = result.value;
      return final;
    }
  }
  const nonaborted = results.filter((r) => !aborted(r));
  if (nonaborted.length === 1) {
    final.value = nonaborted[0].value;
    return nonaborted[0];
  }
  final.issues.push({
    code: "invalid_union",
    input: final.value,
    inst,
    errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config())))
  });
  return final;
}
function discriminatorMap(def) {
  const map = /* @__PURE__ */ new Map();
  for (const option of def.options) {
    const values = option._zod.propValues?.[def.discriminator];
    if (!values || values.size === 0)
      throw new Error(`Invalid discriminated union option at index "${def.options.indexOf(option)}"`);
    for (const value of values) {
      if (map.has(value)) {
        if (value !== void 0)
          throw new Error(`Duplicate discriminator value "${String(value)}"`);
        map.set(value, null);
      } else {
        map.set(value, option);
      }
    }
  }
  return map;
}
function handleOptionalResult(payload, result) {
  payload.value = result.issues.length ? void 0 : result.value;
  return payload;
}
function handleDefaultResult(payload, def) {
  if (payload.value === void 0) {
    payload.value = def.defaultValue;
  }
  return payload;
}
function handlePipeResult(left, next, ctx) {
  if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
    left.aborted = true;
    return left;
  }
  return next._zod.run({ value: left.value, issues: left.issues }, ctx);
}
function handleRefineResult(result, payload, input, inst) {
  if (!result) {
    const _iss = {
      code: "custom",
      input,
      inst,
      // incorporates params.error into issue reporting
      path: [...inst._zod.def.path ?? []],
      // incorporates params.error into issue reporting
      continue: !inst._zod.def.abort
      // params: inst._zod.def.params,
    };
    if (inst._zod.def.params)
      _iss.params = inst._zod.def.params;
    payload.issues.push(issue(_iss));
  }
}
var $ZodType, toStandardResult, $ZodString, $ZodStringFormat, $ZodUUID, URL_BAD_FORMAT, URL_UNPARSEABLE, asciiTabOrNewline, $ZodURL, $ZodISODateTime, $ZodISODate, $ZodISOTime, $ZodISODuration, $ZodNumber, $ZodNumberFormat, $ZodBoolean, $ZodNull, $ZodUnknown, $ZodNever, arraySize, $ZodArray, NO_SYMBOL_KEYS, $ZodObject, $ZodUnion, $ZodDiscriminatedUnion, $ZodRecord, $ZodEnum, $ZodLiteral, $ZodTransform, $ZodOptional, $ZodNullable, $ZodDefault, $ZodPipe, $ZodLazy, $ZodCustom;
var init_schemas = __esm({
  "node_modules/zod/v4/core/schemas.js"() {
    init_checks();
    init_core();
    init_regexes();
    init_util();
    init_versions();
    init_util();
    $ZodType = /* @__PURE__ */ $constructor("$ZodType", (inst, def) => {
      var _a3;
      inst ?? (inst = {});
      inst._zod.def = def;
      inst._zod.bag = inst._zod.bag || {};
      inst._zod.version = version;
      const defChecks = inst._zod.def.checks;
      const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
      for (const ch of checks) {
        for (const fn of ch._zod.onattach) {
          fn(inst);
        }
      }
      if (checks.length === 0) {
        (_a3 = inst._zod).deferred ?? (_a3.deferred = []);
        inst._zod.deferred?.push(() => {
          inst._zod.run = inst._zod.parse;
        });
      } else {
        const runChecks = (payload, checks2, ctx) => {
          if (payload.memo)
            return payload;
          let isAborted = aborted(payload);
          let asyncResult;
          for (const ch of checks2) {
            if (ch._zod.def.when) {
              if (explicitlyAborted(payload))
                continue;
              const shouldRun = ch._zod.def.when(payload);
              if (!shouldRun)
                continue;
            } else if (isAborted) {
              continue;
            }
            const currLen = payload.issues.length;
            const _ = ch._zod.check(payload);
            if (_ instanceof Promise && ctx?.async === false) {
              throw new $ZodAsyncError();
            }
            if (asyncResult || _ instanceof Promise) {
              asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
                await _;
                const nextLen = payload.issues.length;
                if (nextLen === currLen)
                  return;
                attachSchema(payload.issues, currLen, inst);
                if (!isAborted)
                  isAborted = aborted(payload, currLen);
              });
            } else {
              const nextLen = payload.issues.length;
              if (nextLen === currLen)
                continue;
              attachSchema(payload.issues, currLen, inst);
              if (!isAborted)
                isAborted = aborted(payload, currLen);
            }
          }
          if (asyncResult) {
            return asyncResult.then(() => {
              return payload;
            });
          }
          return payload;
        };
        const handleCanaryResult = (canary, payload, ctx) => {
          if (aborted(canary)) {
            canary.aborted = true;
            return canary;
          }
          const checkResult = runChecks(payload, checks, ctx);
          if (checkResult instanceof Promise) {
            if (ctx.async === false)
              throw new $ZodAsyncError();
            return checkResult.then((checkResult2) => inst._zod.parse(checkResult2, ctx));
          }
          return inst._zod.parse(checkResult, ctx);
        };
        inst._zod.run = (payload, ctx) => {
          if (ctx.skipChecks) {
            return inst._zod.parse(payload, ctx);
          }
          if (ctx.direction === "backward") {
            const canary = inst._zod.parse({ value: payload.value, issues: [] }, { ...ctx, skipChecks: true });
            if (canary instanceof Promise) {
              return canary.then((canary2) => {
                return handleCanaryResult(canary2, payload, ctx);
              });
            }
            return handleCanaryResult(canary, payload, ctx);
          }
          const result = inst._zod.parse(payload, ctx);
          if (result instanceof Promise) {
            if (ctx.async === false)
              throw new $ZodAsyncError();
            return result.then((result2) => runChecks(result2, checks, ctx));
          }
          return runChecks(result, checks, ctx);
        };
      }
    }, {
      // Wrappers extend this by installing a richer factory over it; reading it eagerly would defeat the laziness.
      get "~standard"() {
        return hide(this, "~standard", standardProps(this));
      },
      set "~standard"(value) {
        own(this, "~standard", value);
      }
    });
    toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
    $ZodString = /* @__PURE__ */ $constructor("$ZodString", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = def.pattern ?? anyString;
      inst._zod.parse = (payload, _) => {
        if (def.coerce)
          try {
            payload.value = String(payload.value);
          } catch (_2) {
          }
        if (typeof payload.value === "string")
          return payload;
        payload.issues.push({
          expected: "string",
          code: "invalid_type",
          input: payload.value,
          inst
        });
        return payload;
      };
    });
    $ZodStringFormat = /* @__PURE__ */ $constructor("$ZodStringFormat", (inst, def) => {
      $ZodCheckStringFormat.init(inst, def);
      $ZodString.init(inst, def);
    });
    $ZodUUID = /* @__PURE__ */ $constructor("$ZodUUID", (inst, def) => {
      if (def.version) {
        const versionMap = {
          v1: 1,
          v2: 2,
          v3: 3,
          v4: 4,
          v5: 5,
          v6: 6,
          v7: 7,
          v8: 8
        };
        const v = versionMap[def.version];
        if (v === void 0)
          throw new Error(`Invalid UUID version: "${def.version}"`);
        def.pattern ?? (def.pattern = uuid(v));
      } else
        def.pattern ?? (def.pattern = uuid());
      $ZodStringFormat.init(inst, def);
    });
    URL_BAD_FORMAT = 1;
    URL_UNPARSEABLE = 2;
    asciiTabOrNewline = /[\t\n\r]/g;
    $ZodURL = /* @__PURE__ */ $constructor("$ZodURL", (inst, def) => {
      $ZodStringFormat.init(inst, def);
      inst._zod.check = (payload) => {
        try {
          const trimmed = payload.value.trim();
          const url2 = validateURL(trimmed, def);
          if (url2 === URL_BAD_FORMAT) {
            payload.issues.push({
              code: "invalid_format",
              format: "url",
              note: "Invalid URL format",
              input: payload.value,
              inst,
              continue: !def.abort
            });
            return;
          }
          if (url2 === URL_UNPARSEABLE) {
            payload.issues.push({
              code: "invalid_format",
              format: "url",
              input: payload.value,
              inst,
              continue: !def.abort
            });
            return;
          }
          if (url2 === true) {
            payload.value = stripTabAndNewline(trimmed);
            return;
          }
          if (def.hostname && !urlHostnameOk(url2, def.hostname)) {
            payload.issues.push({
              code: "invalid_format",
              format: "url",
              note: "Invalid hostname",
              pattern: def.hostname.source,
              input: payload.value,
              inst,
              continue: !def.abort
            });
          }
          if (def.protocol && !urlProtocolOk(url2, def.protocol)) {
            payload.issues.push({
              code: "invalid_format",
              format: "url",
              note: "Invalid protocol",
              pattern: def.protocol.source,
              input: payload.value,
              inst,
              continue: !def.abort
            });
          }
          payload.value = def.normalize ? url2.href : stripTabAndNewline(trimmed);
          return;
        } catch (_) {
          payload.issues.push({
            code: "invalid_format",
            format: "url",
            input: payload.value,
            inst,
            continue: !def.abort
          });
        }
      };
    });
    $ZodISODateTime = /* @__PURE__ */ $constructor("$ZodISODateTime", (inst, def) => {
      def.pattern ?? (def.pattern = datetime(def));
      $ZodStringFormat.init(inst, def);
    });
    $ZodISODate = /* @__PURE__ */ $constructor("$ZodISODate", (inst, def) => {
      def.pattern ?? (def.pattern = date);
      $ZodStringFormat.init(inst, def);
    });
    $ZodISOTime = /* @__PURE__ */ $constructor("$ZodISOTime", (inst, def) => {
      def.pattern ?? (def.pattern = time(def));
      $ZodStringFormat.init(inst, def);
    });
    $ZodISODuration = /* @__PURE__ */ $constructor("$ZodISODuration", (inst, def) => {
      def.pattern ?? (def.pattern = duration);
      $ZodStringFormat.init(inst, def);
    });
    $ZodNumber = /* @__PURE__ */ $constructor("$ZodNumber", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = number;
      inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
          try {
            payload.value = Number(payload.value);
          } catch (_) {
          }
        const input = payload.value;
        if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) {
          return payload;
        }
        const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
        payload.issues.push({
          expected: "number",
          code: "invalid_type",
          input,
          inst,
          ...received ? { received } : {}
        });
        return payload;
      };
    });
    $ZodNumberFormat = /* @__PURE__ */ $constructor("$ZodNumberFormat", (inst, def) => {
      $ZodCheckNumberFormat.init(inst, def);
      $ZodNumber.init(inst, def);
    });
    $ZodBoolean = /* @__PURE__ */ $constructor("$ZodBoolean", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = boolean;
      inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
          try {
            payload.value = Boolean(payload.value);
          } catch (_) {
          }
        const input = payload.value;
        if (typeof input === "boolean")
          return payload;
        payload.issues.push({
          expected: "boolean",
          code: "invalid_type",
          input,
          inst
        });
        return payload;
      };
    });
    $ZodNull = /* @__PURE__ */ $constructor("$ZodNull", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.pattern = _null;
      inst._zod.values = /* @__PURE__ */ new Set([null]);
      inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (input === null)
          return payload;
        payload.issues.push({
          expected: "null",
          code: "invalid_type",
          input,
          inst
        });
        return payload;
      };
    });
    $ZodUnknown = /* @__PURE__ */ $constructor("$ZodUnknown", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.parse = (payload) => payload;
    });
    $ZodNever = /* @__PURE__ */ $constructor("$ZodNever", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.parse = (payload, _ctx) => {
        payload.issues.push({
          expected: "never",
          code: "invalid_type",
          input: payload.value,
          inst
        });
        return payload;
      };
    });
    arraySize = (input) => Array.isArray(input) ? input.length : -1;
    $ZodArray = /* @__PURE__ */ $constructor("$ZodArray", (inst, def) => {
      $ZodType.init(inst, def);
      const memo = globalConfig.memoizer;
      memo?.attach(inst);
      inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!Array.isArray(input)) {
          payload.issues.push({
            expected: "array",
            code: "invalid_type",
            input,
            inst
          });
          return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
        const proms = [];
        const abortEarly = ctx?.abortEarly;
        for (let i = 0; i < input.length; i++) {
          const item = input[i];
          const result = def.element._zod.run({
            value: item,
            issues: []
          }, ctx);
          if (result instanceof Promise) {
            proms.push(result.then((result2) => handleArrayResult(result2, payload, i)));
          } else {
            handleArrayResult(result, payload, i);
            if (abortEarly && result.issues.length !== 0 && aborted(result))
              break;
          }
        }
        if (proms.length) {
          return Promise.all(proms).then(() => payload);
        }
        return payload;
      };
      capSize(inst, arraySize);
    });
    NO_SYMBOL_KEYS = [];
    $ZodObject = /* @__PURE__ */ $constructor("$ZodObject", (inst, def) => {
      $ZodType.init(inst, def);
      const desc = Object.getOwnPropertyDescriptor(def, "shape");
      const sh = desc?.get ? desc.get.raw : def.shape ?? {};
      if (sh) {
        const get = () => {
          const newSh = { ...sh };
          Object.defineProperty(def, "shape", { value: newSh });
          get.raw = newSh;
          return newSh;
        };
        get.raw = sh;
        Object.defineProperty(def, "shape", { get });
      }
      const _normalized = cached(() => normalizeDef(def));
      defineLazyInternal(inst, "propValues", (zod) => {
        const shape = zod.def.shape;
        const propValues = {};
        for (const key in shape) {
          const field = shape[key]._zod;
          if (field.values) {
            if (!Object.prototype.hasOwnProperty.call(propValues, key)) {
              assignProp(propValues, key, /* @__PURE__ */ new Set());
            }
            for (const v of field.values)
              propValues[key].add(v);
            if (field.optin !== void 0)
              propValues[key].add(void 0);
          }
        }
        return propValues;
      });
      const isObject2 = isObject;
      const catchall = def.catchall;
      let value;
      const memo = globalConfig.memoizer;
      memo?.attach(inst);
      inst._zod.parse = (payload, ctx) => {
        value ?? (value = _normalized.value);
        const input = payload.value;
        if (!isObject2(input)) {
          payload.issues.push({
            expected: "object",
            code: "invalid_type",
            input,
            inst
          });
          return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
        const proms = [];
        const shape = value.shape;
        const abortEarly = ctx?.abortEarly;
        let seen = payload.issues.length;
        for (const key of value.allKeys) {
          if (abortEarly && payload.issues.length !== seen) {
            if (aborted(payload, seen))
              break;
            seen = payload.issues.length;
          }
          if (key === "__proto__")
            continue;
          const el = shape[key];
          const optin = el._zod.optin;
          const optout = el._zod.optout;
          const r = el._zod.run({ value: input[key], issues: [] }, ctx);
          if (r instanceof Promise) {
            proms.push(r.then((r2) => handlePropertyResult(r2, payload, key, input, optin, optout)));
          } else {
            handlePropertyResult(r, payload, key, input, optin, optout);
          }
        }
        if (!catchall) {
          return proms.length ? Promise.all(proms).then(() => payload) : payload;
        }
        return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
      };
    });
    $ZodUnion = /* @__PURE__ */ $constructor("$ZodUnion", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted") ? "defaulted" : zod.def.options.some((o) => o._zod.optin !== void 0) ? "optional" : void 0);
      defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : void 0);
      defineLazyInternal(inst, "values", (zod) => {
        if (zod.def.options.every((o) => o._zod.values)) {
          return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
        }
        return void 0;
      });
      defineLazyInternal(inst, "pattern", (zod) => {
        if (zod.def.options.every((o) => o._zod.pattern)) {
          const patterns = zod.def.options.map((o) => o._zod.pattern);
          return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
        }
        return void 0;
      });
      const first = def.options.length === 1 ? def.options[0]._zod.run : null;
      inst._zod.parse = (payload, ctx) => {
        if (first) {
          return first(payload, ctx);
        }
        let async = false;
        const results = [];
        for (const option of def.options) {
          const result = option._zod.run({
            value: payload.value,
            issues: []
          }, ctx);
          if (result instanceof Promise) {
            results.push(result);
            async = true;
          } else {
            if (result.issues.length === 0)
              return result;
            results.push(result);
          }
        }
        if (!async)
          return handleUnionResults(results, payload, inst, ctx);
        return Promise.all(results).then((results2) => {
          return handleUnionResults(results2, payload, inst, ctx);
        });
      };
    });
    $ZodDiscriminatedUnion = /* @__PURE__ */ $constructor("$ZodDiscriminatedUnion", (inst, def) => {
      def.inclusive = false;
      $ZodUnion.init(inst, def);
      const _super = inst._zod.parse;
      defineLazyInternal(inst, "propValues", (zod) => {
        const propValues = {};
        let undefinedCount = 0;
        for (const option of zod.def.options) {
          const pv = option._zod.propValues;
          if (!pv || Object.keys(pv).length === 0)
            throw new Error(`Invalid discriminated union option at index "${zod.def.options.indexOf(option)}"`);
          if (pv[zod.def.discriminator]?.has(void 0))
            undefinedCount++;
          for (const [k, v] of Object.entries(pv)) {
            if (!Object.prototype.hasOwnProperty.call(propValues, k)) {
              assignProp(propValues, k, /* @__PURE__ */ new Set());
            }
            for (const val of v) {
              propValues[k].add(val);
            }
          }
        }
        if (!zod.def.unionFallback && undefinedCount > 1)
          propValues[zod.def.discriminator]?.delete(void 0);
        return propValues;
      });
      def.options.forEach((option, i) => {
        const propShape = rawShape(option._zod.def);
        if (propShape && !Object.prototype.hasOwnProperty.call(propShape, def.discriminator)) {
          throw new Error(`Invalid discriminated union option at index "${i}"`);
        }
      });
      const disc = cached(() => discriminatorMap(def));
      inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!isObject(input)) {
          payload.issues.push({
            code: "invalid_type",
            expected: "object",
            input,
            inst
          });
          return payload;
        }
        const value = input?.[def.discriminator];
        const opt = disc.value.get(value);
        if (opt && (value !== void 0 || ctx.direction !== "backward")) {
          return opt._zod.run(payload, ctx);
        }
        if (def.unionFallback || ctx.direction === "backward") {
          return _super(payload, ctx);
        }
        payload.issues.push({
          code: "invalid_union",
          errors: [],
          note: "No matching discriminator",
          discriminator: def.discriminator,
          options: Array.from(disc.value.keys()).filter((value2) => disc.value.get(value2) !== null),
          input,
          path: [def.discriminator],
          inst
        });
        return payload;
      };
    });
    $ZodRecord = /* @__PURE__ */ $constructor("$ZodRecord", (inst, def) => {
      $ZodType.init(inst, def);
      const memo = globalConfig.memoizer;
      memo?.attach(inst);
      inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!isPlainObject(input)) {
          payload.issues.push({
            expected: "record",
            code: "invalid_type",
            input,
            inst
          });
          return payload;
        }
        const proms = [];
        const values = def.keyType._zod.values;
        if (values && !def.partial) {
          payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
          const recordKeys = /* @__PURE__ */ new Set();
          for (const key of values) {
            if (typeof key === "string" || typeof key === "number" || typeof key === "symbol") {
              recordKeys.add(typeof key === "number" ? key.toString() : key);
              if (key === "__proto__")
                continue;
              const keyResult = def.keyType._zod.run({ value: key, issues: [] }, ctx);
              if (keyResult instanceof Promise) {
                throw new Error("Async schemas not supported in object keys currently");
              }
              if (keyResult.issues.length) {
                payload.issues.push({
                  code: "invalid_key",
                  origin: "record",
                  issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
                  input: key,
                  path: [key],
                  inst
                });
                continue;
              }
              const outKey = keyResult.value;
              if (outKey === "__proto__")
                continue;
              const result = def.valueType._zod.run({ value: input[key], issues: [] }, ctx);
              if (result instanceof Promise) {
                proms.push(result.then((result2) => {
                  if (result2.issues.length) {
                    payload.issues.push(...prefixIssues(key, result2.issues));
                  }
                  payload.value[outKey] = result2.value;
                }));
              } else {
                if (result.issues.length) {
                  payload.issues.push(...prefixIssues(key, result.issues));
                }
                payload.value[outKey] = result.value;
              }
            }
          }
          let unrecognized;
          for (const key in input) {
            if (!recordKeys.has(key)) {
              if (def.mode === "loose") {
                if (key === "__proto__")
                  continue;
                payload.value[key] = input[key];
              } else {
                unrecognized = unrecognized ?? [];
                unrecognized.push(key);
              }
            }
          }
          if (unrecognized && unrecognized.length > 0) {
            payload.issues.push({
              code: "unrecognized_keys",
              input,
              inst,
              keys: unrecognized,
              continue: true
            });
          }
        } else {
          payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
          let unrecognized;
          for (const key of Reflect.ownKeys(input)) {
            if (key === "__proto__")
              continue;
            if (!Object.prototype.propertyIsEnumerable.call(input, key))
              continue;
            let keyResult = def.keyType._zod.run({ value: key, issues: [] }, ctx);
            if (keyResult instanceof Promise) {
              throw new Error("Async schemas not supported in object keys currently");
            }
            const checkNumericKey = typeof key === "string" && number.test(key) && keyResult.issues.length;
            if (checkNumericKey) {
              const retryResult = def.keyType._zod.run({ value: Number(key), issues: [] }, ctx);
              if (retryResult instanceof Promise) {
                throw new Error("Async schemas not supported in object keys currently");
              }
              if (retryResult.issues.length === 0) {
                keyResult = retryResult;
              }
            }
            if (keyResult.issues.length) {
              if (def.mode === "loose") {
                payload.value[key] = input[key];
              } else if (values) {
                unrecognized = unrecognized ?? [];
                unrecognized.push(key);
              } else {
                payload.issues.push({
                  code: "invalid_key",
                  origin: "record",
                  issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
                  input: key,
                  path: [key],
                  inst
                });
              }
              continue;
            }
            const outKey = keyResult.value;
            if (outKey === "__proto__")
              continue;
            const result = def.valueType._zod.run({ value: input[key], issues: [] }, ctx);
            if (result instanceof Promise) {
              proms.push(result.then((result2) => {
                if (result2.issues.length) {
                  payload.issues.push(...prefixIssues(key, result2.issues));
                }
                payload.value[outKey] = result2.value;
              }));
            } else {
              if (result.issues.length) {
                payload.issues.push(...prefixIssues(key, result.issues));
              }
              payload.value[outKey] = result.value;
            }
          }
          if (unrecognized && unrecognized.length > 0) {
            payload.issues.push({
              code: "unrecognized_keys",
              input,
              inst,
              keys: unrecognized,
              continue: true
            });
          }
        }
        if (proms.length) {
          return Promise.all(proms).then(() => payload);
        }
        return payload;
      };
    });
    $ZodEnum = /* @__PURE__ */ $constructor("$ZodEnum", (inst, def) => {
      $ZodType.init(inst, def);
      const values = getEnumValues(def.entries);
      const valuesSet = new Set(values);
      inst._zod.values = valuesSet;
      defineLazyInternal(inst, "pattern", (zod) => {
        const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
        return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
      });
      inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (valuesSet.has(input)) {
          return payload;
        }
        payload.issues.push({
          code: "invalid_value",
          values,
          input,
          inst
        });
        return payload;
      };
    });
    $ZodLiteral = /* @__PURE__ */ $constructor("$ZodLiteral", (inst, def) => {
      $ZodType.init(inst, def);
      const values = new Set(def.values);
      inst._zod.values = values;
      defineLazyInternal(inst, "pattern", (zod) => {
        const vals = zod.def.values;
        return new RegExp(vals.length ? `^(${vals.map((o) => typeof o === "string" ? escapeRegex(o) : o ? escapeRegex(o.toString()) : String(o)).join("|")})$` : "^[^\\s\\S]$");
      });
      inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (values.has(input)) {
          return payload;
        }
        payload.issues.push({
          code: "invalid_value",
          values: def.values,
          input,
          inst
        });
        return payload;
      };
    });
    $ZodTransform = /* @__PURE__ */ $constructor("$ZodTransform", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.optin = "optional";
      globalConfig.memoizer?.guard(inst);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          throw new $ZodEncodeError(inst.constructor.name);
        }
        const _out = def.transform(payload.value, payload);
        if (ctx.async) {
          const output = _out instanceof Promise ? _out : Promise.resolve(_out);
          return output.then((output2) => {
            payload.value = output2;
            return payload;
          });
        }
        if (_out instanceof Promise) {
          throw new $ZodAsyncError();
        }
        payload.value = _out;
        return payload;
      };
    });
    $ZodOptional = /* @__PURE__ */ $constructor("$ZodOptional", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
      inst._zod.optout = "optional";
      defineLazyInternal(inst, "values", (zod) => {
        const values = zod.def.innerType._zod.values;
        return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
      });
      defineLazyInternal(inst, "pattern", (zod) => {
        const pattern = zod.def.innerType._zod.pattern;
        return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
      });
      inst._zod.parse = (payload, ctx) => {
        if (payload.value === void 0) {
          if (def.innerType._zod.optin !== "defaulted")
            return payload;
          const result = def.innerType._zod.run({ value: payload.value, issues: [] }, ctx);
          if (result instanceof Promise)
            return result.then((result2) => handleOptionalResult(payload, result2));
          return handleOptionalResult(payload, result);
        }
        return def.innerType._zod.run(payload, ctx);
      };
    });
    $ZodNullable = /* @__PURE__ */ $constructor("$ZodNullable", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
      defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
      defineLazyInternal(inst, "pattern", (zod) => {
        const pattern = zod.def.innerType._zod.pattern;
        return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : void 0;
      });
      defineLazyInternal(inst, "values", (zod) => {
        return zod.def.innerType._zod.values ? /* @__PURE__ */ new Set([...zod.def.innerType._zod.values, null]) : void 0;
      });
      inst._zod.parse = (payload, ctx) => {
        if (payload.value === null)
          return payload;
        return def.innerType._zod.run(payload, ctx);
      };
    });
    $ZodDefault = /* @__PURE__ */ $constructor("$ZodDefault", (inst, def) => {
      $ZodType.init(inst, def);
      inst._zod.optin = "defaulted";
      defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          return def.innerType._zod.run(payload, ctx);
        }
        if (payload.value === void 0) {
          payload.value = def.defaultValue;
          return payload;
        }
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
          return result.then((result2) => handleDefaultResult(result2, def));
        }
        return handleDefaultResult(result, def);
      };
    });
    $ZodPipe = /* @__PURE__ */ $constructor("$ZodPipe", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
      defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
      defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
      defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
      inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
          const right = def.out._zod.run(payload, ctx);
          if (right instanceof Promise) {
            return right.then((right2) => handlePipeResult(right2, def.in, ctx));
          }
          return handlePipeResult(right, def.in, ctx);
        }
        const left = def.in._zod.run(payload, ctx);
        if (left instanceof Promise) {
          return left.then((left2) => handlePipeResult(left2, def.out, ctx));
        }
        return handlePipeResult(left, def.out, ctx);
      };
    });
    $ZodLazy = /* @__PURE__ */ $constructor("$ZodLazy", (inst, def) => {
      $ZodType.init(inst, def);
      defineLazy(inst._zod, "innerType", () => {
        const d = def;
        if (!d._cachedInner)
          d._cachedInner = def.getter();
        return d._cachedInner;
      });
      defineLazyInternal(inst, "pattern", (zod) => zod.innerType?._zod?.pattern);
      defineLazyInternal(inst, "propValues", (zod) => zod.innerType?._zod?.propValues);
      defineLazyInternal(inst, "optin", (zod) => zod.innerType?._zod?.optin ?? void 0);
      defineLazyInternal(inst, "optout", (zod) => zod.innerType?._zod?.optout ?? void 0);
      inst._zod.parse = (payload, ctx) => {
        const inner = inst._zod.innerType;
        return inner._zod.run(payload, ctx);
      };
    });
    $ZodCustom = /* @__PURE__ */ $constructor("$ZodCustom", (inst, def) => {
      $ZodCheck.init(inst, def);
      $ZodType.init(inst, def);
      inst._zod.parse = (payload, _) => {
        return payload;
      };
      inst._zod.check = (payload) => {
        const input = payload.value;
        const r = def.fn(input);
        if (r instanceof Promise) {
          return r.then((r2) => handleRefineResult(r2, payload, input, inst));
        }
        handleRefineResult(r, payload, input, inst);
        return;
      };
    });
  }
});

// node_modules/zod/v4/core/memoizer.js
var init_memoizer = __esm({
  "node_modules/zod/v4/core/memoizer.js"() {
  }
});

// node_modules/zod/v4/locales/index.js
var init_locales = __esm({
  "node_modules/zod/v4/locales/index.js"() {
  }
});

// node_modules/zod/v4/core/registries.js
function registry() {
  return new $ZodRegistry();
}
var _a2, $ZodRegistry, globalRegistry;
var init_registries = __esm({
  "node_modules/zod/v4/core/registries.js"() {
    $ZodRegistry = class {
      constructor() {
        this._map = /* @__PURE__ */ new WeakMap();
        this._idmap = /* @__PURE__ */ new Map();
      }
      add(schema, ..._meta) {
        const meta2 = _meta[0];
        this._map.set(schema, meta2);
        if (meta2 && typeof meta2 === "object" && "id" in meta2) {
          this._idmap.set(meta2.id, schema);
        }
        return this;
      }
      clear() {
        this._map = /* @__PURE__ */ new WeakMap();
        this._idmap = /* @__PURE__ */ new Map();
        return this;
      }
      remove(schema) {
        const meta2 = this._map.get(schema);
        if (meta2 && typeof meta2 === "object" && "id" in meta2) {
          this._idmap.delete(meta2.id);
        }
        this._map.delete(schema);
        return this;
      }
      get(schema) {
        const p = schema._zod.parent;
        if (p) {
          const pm = { ...this.get(p) ?? {} };
          delete pm.id;
          const f = { ...pm, ...this._map.get(schema) };
          return Object.keys(f).length ? f : void 0;
        }
        return this._map.get(schema);
      }
      has(schema) {
        return this._map.has(schema);
      }
    };
    (_a2 = globalThis).__zod_globalRegistry ?? (_a2.__zod_globalRegistry = registry());
    globalRegistry = globalThis.__zod_globalRegistry;
  }
});

// node_modules/zod/v4/core/compile.js
var init_compile = __esm({
  "node_modules/zod/v4/core/compile.js"() {
  }
});

// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
  if (def.checks)
    def.checks = [...def.checks];
  return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
  return new Class(snapshotChecks({ type: "string", ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
  return new Class({
    type: "string",
    format: "uuid",
    check: "string_format",
    abort: false,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _url(Class, params) {
  return new Class({
    type: "string",
    format: "url",
    check: "string_format",
    abort: false,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _isoDateTime(Class, params) {
  return new Class({
    type: "string",
    format: "datetime",
    check: "string_format",
    offset: false,
    local: false,
    precision: null,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _isoDate(Class, params) {
  return new Class({
    type: "string",
    format: "date",
    check: "string_format",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _isoTime(Class, params) {
  return new Class({
    type: "string",
    format: "time",
    check: "string_format",
    precision: null,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _isoDuration(Class, params) {
  return new Class({
    type: "string",
    format: "duration",
    check: "string_format",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
  return new Class(snapshotChecks({ type: "number", checks: [], ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
  return new Class({
    type: "number",
    check: "number_format",
    abort: false,
    format: "safeint",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
  return new Class({
    type: "boolean",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _null2(Class, params) {
  return new Class({
    type: "null",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _unknown(Class) {
  return new Class({
    type: "unknown"
  });
}
// @__NO_SIDE_EFFECTS__
function _never(Class, params) {
  return new Class({
    type: "never",
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _lte(value, params) {
  return new $ZodCheckLessThan({
    check: "less_than",
    ...normalizeParams(params),
    value,
    inclusive: true
  });
}
// @__NO_SIDE_EFFECTS__
function _gte(value, params) {
  return new $ZodCheckGreaterThan({
    check: "greater_than",
    ...normalizeParams(params),
    value,
    inclusive: true
  });
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
  const ch = new $ZodCheckMaxLength({
    check: "max_length",
    ...normalizeParams(params),
    maximum
  });
  return ch;
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
  return new $ZodCheckMinLength({
    check: "min_length",
    ...normalizeParams(params),
    minimum
  });
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
  return new $ZodCheckRegex({
    check: "string_format",
    format: "regex",
    ...normalizeParams(params),
    pattern
  });
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
  const schema = new Class({
    type: "custom",
    check: "custom",
    fn,
    ...normalizeParams(_params)
  });
  return schema;
}
var init_api = __esm({
  "node_modules/zod/v4/core/api.js"() {
    init_checks();
    init_util();
  }
});

// node_modules/zod/v4/core/to-json-schema.js
var init_to_json_schema = __esm({
  "node_modules/zod/v4/core/to-json-schema.js"() {
  }
});

// node_modules/zod/v4/core/json-schema.js
var init_json_schema = __esm({
  "node_modules/zod/v4/core/json-schema.js"() {
  }
});

// node_modules/zod/v4/core/index.js
var init_core2 = __esm({
  "node_modules/zod/v4/core/index.js"() {
    init_core();
    init_parse();
    init_errors();
    init_schemas();
    init_memoizer();
    init_checks();
    init_versions();
    init_util();
    init_regexes();
    init_locales();
    init_registries();
    init_doc();
    init_compile();
    init_api();
    init_to_json_schema();
    init_json_schema();
  }
});

// node_modules/zod/v4/mini/parse.js
var init_parse2 = __esm({
  "node_modules/zod/v4/mini/parse.js"() {
    init_core2();
  }
});

// node_modules/zod/v4/mini/schemas.js
// @__NO_SIDE_EFFECTS__
function string2(params) {
  return _string(ZodMiniString, params);
}
// @__NO_SIDE_EFFECTS__
function uuid2(params) {
  return _uuid(ZodMiniUUID, params);
}
// @__NO_SIDE_EFFECTS__
function url(params) {
  return _url(ZodMiniURL, params);
}
// @__NO_SIDE_EFFECTS__
function number2(params) {
  return _number(ZodMiniNumber, params);
}
function int(params) {
  return _int(ZodMiniNumberFormat, params);
}
// @__NO_SIDE_EFFECTS__
function boolean2(params) {
  return _boolean(ZodMiniBoolean, params);
}
// @__NO_SIDE_EFFECTS__
function _null3(params) {
  return _null2(ZodMiniNull, params);
}
// @__NO_SIDE_EFFECTS__
function unknown() {
  return _unknown(ZodMiniUnknown);
}
// @__NO_SIDE_EFFECTS__
function never(params) {
  return _never(ZodMiniNever, params);
}
// @__NO_SIDE_EFFECTS__
function array(element, params) {
  return new ZodMiniArray({
    type: "array",
    element,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function object(shape, params) {
  const def = {
    type: "object",
    shape: shape ?? {},
    ...normalizeParams(params)
  };
  return new ZodMiniObject(def);
}
// @__NO_SIDE_EFFECTS__
function strictObject(shape, params) {
  return new ZodMiniObject({
    type: "object",
    shape,
    catchall: /* @__PURE__ */ never(),
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function looseObject(shape, params) {
  return new ZodMiniObject({
    type: "object",
    shape,
    catchall: /* @__PURE__ */ unknown(),
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function extend2(schema, shape) {
  return extend(schema, shape);
}
// @__NO_SIDE_EFFECTS__
function union(options, params) {
  return new ZodMiniUnion({
    type: "union",
    options,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function discriminatedUnion(discriminator, options, params) {
  return new ZodMiniDiscriminatedUnion({
    type: "union",
    options,
    discriminator,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function record(keyType, valueType, params) {
  if (!valueType || !valueType._zod) {
    return new ZodMiniRecord({
      type: "record",
      keyType: /* @__PURE__ */ string2(),
      valueType: keyType,
      ...normalizeParams(valueType)
    });
  }
  return new ZodMiniRecord({
    type: "record",
    keyType,
    valueType,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function _enum(values, params) {
  const entries = Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values;
  return new ZodMiniEnum({
    type: "enum",
    entries,
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function literal(value, params) {
  return new ZodMiniLiteral({
    type: "literal",
    values: Array.isArray(value) ? value : [value],
    ...normalizeParams(params)
  });
}
// @__NO_SIDE_EFFECTS__
function transform(fn) {
  return new ZodMiniTransform({
    type: "transform",
    transform: fn
  });
}
// @__NO_SIDE_EFFECTS__
function optional(innerType) {
  return new ZodMiniOptional({
    type: "optional",
    innerType
  });
}
// @__NO_SIDE_EFFECTS__
function nullable(innerType) {
  return new ZodMiniNullable({
    type: "nullable",
    innerType
  });
}
// @__NO_SIDE_EFFECTS__
function _default(innerType, defaultValue) {
  return new ZodMiniDefault({
    type: "default",
    innerType,
    get defaultValue() {
      return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function pipe(in_, out) {
  return new ZodMiniPipe({
    type: "pipe",
    in: in_,
    out
  });
}
// @__NO_SIDE_EFFECTS__
function _lazy(getter) {
  return new ZodMiniLazy({
    type: "lazy",
    getter
  });
}
// @__NO_SIDE_EFFECTS__
function refine(fn, _params = {}) {
  return _refine(ZodMiniCustom, fn, _params);
}
// @__NO_SIDE_EFFECTS__
function json() {
  const jsonSchema = /* @__PURE__ */ _lazy(() => {
    return /* @__PURE__ */ union([/* @__PURE__ */ string2(), /* @__PURE__ */ number2(), /* @__PURE__ */ boolean2(), /* @__PURE__ */ _null3(), /* @__PURE__ */ array(jsonSchema), /* @__PURE__ */ record(/* @__PURE__ */ string2(), jsonSchema)]);
  });
  return jsonSchema;
}
var ZodMiniType, ZodMiniString, ZodMiniStringFormat, ZodMiniUUID, ZodMiniURL, ZodMiniNumber, ZodMiniNumberFormat, ZodMiniBoolean, ZodMiniNull, ZodMiniUnknown, ZodMiniNever, ZodMiniArray, ZodMiniObject, ZodMiniUnion, ZodMiniDiscriminatedUnion, ZodMiniRecord, ZodMiniEnum, ZodMiniLiteral, ZodMiniTransform, ZodMiniOptional, ZodMiniNullable, ZodMiniDefault, ZodMiniPipe, ZodMiniLazy, ZodMiniCustom;
var init_schemas2 = __esm({
  "node_modules/zod/v4/mini/schemas.js"() {
    init_core2();
    init_util();
    init_parse2();
    ZodMiniType = /* @__PURE__ */ $constructor("ZodMiniType", (inst, def) => {
      if (!inst._zod)
        throw new Error("Uninitialized schema in ZodMiniType.");
      $ZodType.init(inst, def);
      inst.def = def;
      inst.type = def.type;
    }, {
      // `with` is an alias for `check`: the same function object, not a wrapper.
      get with() {
        return this.check;
      },
      set with(value) {
        own(this, "with", value);
      },
      parse(data, params) {
        return parse(this, data, params, { callee: this.parse });
      },
      parseAsync(data, params) {
        return parseAsync(this, data, params, { callee: this.parseAsync });
      },
      safeParse(data, params) {
        return safeParse(this, data, params);
      },
      safeParseAsync(data, params) {
        return safeParseAsync(this, data, params);
      },
      check(...checks) {
        const def = this.def;
        return this.clone({
          ...def,
          checks: [
            ...def.checks ?? [],
            ...checks.map((ch) => typeof ch === "function" ? { _zod: { check: ch, def: { check: "custom" }, onattach: [] } } : ch)
          ]
        }, { parent: true });
      },
      clone(_def, params) {
        return clone(this, _def, params);
      },
      brand() {
        return this;
      },
      register(reg, meta2) {
        reg.add(this, meta2);
        return this;
      },
      apply(fn, ...args) {
        return args.length === 0 ? fn(this) : fn(this, ...args);
      }
    });
    ZodMiniString = /* @__PURE__ */ $constructor("ZodMiniString", (inst, def) => {
      $ZodString.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniStringFormat = /* @__PURE__ */ $constructor("ZodMiniStringFormat", (inst, def) => {
      $ZodStringFormat.init(inst, def);
      ZodMiniString.init(inst, def);
    });
    ZodMiniUUID = /* @__PURE__ */ $constructor("ZodMiniUUID", (inst, def) => {
      $ZodUUID.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
    ZodMiniURL = /* @__PURE__ */ $constructor("ZodMiniURL", (inst, def) => {
      $ZodURL.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
    ZodMiniNumber = /* @__PURE__ */ $constructor("ZodMiniNumber", (inst, def) => {
      $ZodNumber.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNumberFormat = /* @__PURE__ */ $constructor("ZodMiniNumberFormat", (inst, def) => {
      $ZodNumberFormat.init(inst, def);
      ZodMiniNumber.init(inst, def);
    });
    ZodMiniBoolean = /* @__PURE__ */ $constructor("ZodMiniBoolean", (inst, def) => {
      $ZodBoolean.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNull = /* @__PURE__ */ $constructor("ZodMiniNull", (inst, def) => {
      $ZodNull.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniUnknown = /* @__PURE__ */ $constructor("ZodMiniUnknown", (inst, def) => {
      $ZodUnknown.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNever = /* @__PURE__ */ $constructor("ZodMiniNever", (inst, def) => {
      $ZodNever.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniArray = /* @__PURE__ */ $constructor("ZodMiniArray", (inst, def) => {
      $ZodArray.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniObject = /* @__PURE__ */ $constructor("ZodMiniObject", (inst, def) => {
      $ZodObject.init(inst, def);
      ZodMiniType.init(inst, def);
      installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
    });
    ZodMiniUnion = /* @__PURE__ */ $constructor("ZodMiniUnion", (inst, def) => {
      $ZodUnion.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniDiscriminatedUnion = /* @__PURE__ */ $constructor("ZodMiniDiscriminatedUnion", (inst, def) => {
      $ZodDiscriminatedUnion.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniRecord = /* @__PURE__ */ $constructor("ZodMiniRecord", (inst, def) => {
      $ZodRecord.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniEnum = /* @__PURE__ */ $constructor("ZodMiniEnum", (inst, def) => {
      $ZodEnum.init(inst, def);
      ZodMiniType.init(inst, def);
      inst.options = [...inst._zod.values];
    });
    ZodMiniLiteral = /* @__PURE__ */ $constructor("ZodMiniLiteral", (inst, def) => {
      $ZodLiteral.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniTransform = /* @__PURE__ */ $constructor("ZodMiniTransform", (inst, def) => {
      $ZodTransform.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniOptional = /* @__PURE__ */ $constructor("ZodMiniOptional", (inst, def) => {
      $ZodOptional.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniNullable = /* @__PURE__ */ $constructor("ZodMiniNullable", (inst, def) => {
      $ZodNullable.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniDefault = /* @__PURE__ */ $constructor("ZodMiniDefault", (inst, def) => {
      $ZodDefault.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniPipe = /* @__PURE__ */ $constructor("ZodMiniPipe", (inst, def) => {
      $ZodPipe.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniLazy = /* @__PURE__ */ $constructor("ZodMiniLazy", (inst, def) => {
      $ZodLazy.init(inst, def);
      ZodMiniType.init(inst, def);
    });
    ZodMiniCustom = /* @__PURE__ */ $constructor("ZodMiniCustom", (inst, def) => {
      $ZodCustom.init(inst, def);
      ZodMiniType.init(inst, def);
    });
  }
});

// node_modules/zod/v4/mini/checks.js
var init_checks2 = __esm({
  "node_modules/zod/v4/mini/checks.js"() {
    init_core2();
  }
});

// node_modules/zod/v4/mini/iso.js
var iso_exports = {};
__export(iso_exports, {
  ZodMiniISODate: () => ZodMiniISODate,
  ZodMiniISODateTime: () => ZodMiniISODateTime,
  ZodMiniISODuration: () => ZodMiniISODuration,
  ZodMiniISOTime: () => ZodMiniISOTime,
  date: () => date2,
  datetime: () => datetime2,
  duration: () => duration2,
  time: () => time2
});
// @__NO_SIDE_EFFECTS__
function datetime2(params) {
  return _isoDateTime(ZodMiniISODateTime, params);
}
// @__NO_SIDE_EFFECTS__
function date2(params) {
  return _isoDate(ZodMiniISODate, params);
}
// @__NO_SIDE_EFFECTS__
function time2(params) {
  return _isoTime(ZodMiniISOTime, params);
}
// @__NO_SIDE_EFFECTS__
function duration2(params) {
  return _isoDuration(ZodMiniISODuration, params);
}
var ZodMiniISODateTime, ZodMiniISODate, ZodMiniISOTime, ZodMiniISODuration;
var init_iso = __esm({
  "node_modules/zod/v4/mini/iso.js"() {
    init_core2();
    init_schemas2();
    ZodMiniISODateTime = /* @__PURE__ */ $constructor("ZodMiniISODateTime", (inst, def) => {
      $ZodISODateTime.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
    ZodMiniISODate = /* @__PURE__ */ $constructor("ZodMiniISODate", (inst, def) => {
      $ZodISODate.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
    ZodMiniISOTime = /* @__PURE__ */ $constructor("ZodMiniISOTime", (inst, def) => {
      $ZodISOTime.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
    ZodMiniISODuration = /* @__PURE__ */ $constructor("ZodMiniISODuration", (inst, def) => {
      $ZodISODuration.init(inst, def);
      ZodMiniStringFormat.init(inst, def);
    });
  }
});

// node_modules/zod/v4/mini/coerce.js
var init_coerce = __esm({
  "node_modules/zod/v4/mini/coerce.js"() {
  }
});

// node_modules/zod/v4/mini/external.js
var init_external = __esm({
  "node_modules/zod/v4/mini/external.js"() {
    init_core2();
    init_parse2();
    init_schemas2();
    init_checks2();
    init_locales();
    init_iso();
    init_coerce();
  }
});

// node_modules/zod/mini/index.js
var init_mini = __esm({
  "node_modules/zod/mini/index.js"() {
    init_external();
  }
});

// src/contract/problems/problem.ts
var problem_exports = {};
__export(problem_exports, {
  audiences: () => audiences,
  exchangeReasons: () => exchangeReasons,
  problemCodes: () => problemCodes,
  problemSchema: () => problemSchema
});
var exchangeReasons, problemCodes, audiences, problemSchema;
var init_problem = __esm({
  "src/contract/problems/problem.ts"() {
    "use strict";
    init_mini();
    exchangeReasons = [
      "token_missing",
      "token_malformed",
      "token_type_unsupported",
      "grant_type_unsupported",
      "issuer_unknown",
      "issuer_disabled",
      "algorithm_refused",
      "key_unknown",
      "key_refused",
      "keys_unavailable",
      "signature_invalid",
      "audience_mismatch",
      "claim_missing",
      "token_expired",
      "token_not_yet_valid",
      "token_lifetime_too_long",
      "event_refused",
      "policy_refused",
      "token_replayed"
    ];
    problemCodes = [
      "invalid_request",
      "invalid_grant",
      "invalid_target",
      "unauthorized",
      "forbidden",
      "not_found",
      "run_finished",
      "events_expired",
      "idempotency_key_in_flight",
      "idempotency_key_reused",
      "session_key_in_flight",
      "pull_request_unsupported",
      "insufficient_credits",
      "body_too_large",
      "unsupported_media_type",
      "rate_limited",
      "capacity_reached",
      "concurrency_reached",
      "owner_needed",
      "already_claimed",
      "schedule_not_confirmable",
      "agent_ending",
      "plan_forbids_model",
      "agent_cap_reached",
      "unavailable",
      "upgrade_required",
      "internal"
    ];
    audiences = ["anon", "registered_free", "subscribed"];
    problemSchema = object({
      error: string2(),
      code: string2(),
      request_id: string2(),
      reason: optional(string2()),
      expected: optional(string2()),
      got: optional(string2()),
      audience: optional(_enum(audiences)),
      claim_url: optional(nullable(string2()))
    });
  }
});

// src/contract/bounded-object.ts
function boundedObject({ maxBytes, maxDepth }) {
  return record(string2(), unknown()).check(
    refine(
      (value) => isWithin(value, maxDepth) && new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
      `must have at most ${maxBytes} bytes as JSON and ${maxDepth} levels of nesting`
    )
  );
}
function isWithin(object2, maxDepth) {
  let level = [object2];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap(
      (value) => typeof value === "object" && value !== null ? Object.values(value).filter((inner) => typeof inner === "object") : []
    );
  }
  return true;
}
var init_bounded_object = __esm({
  "src/contract/bounded-object.ts"() {
    "use strict";
    init_mini();
  }
});

// src/contract/agents/ci-policy.ts
function list(pattern, form) {
  const entry = string2(`must be ${form}`).check(
    _maxLength(MAX_POLICY_CHARS, `must have at most ${MAX_POLICY_CHARS} characters`),
    // A refinement and no `regex`: other readers of the document would have to know its flag.
    refine((text2) => pattern.test(text2), `must be ${form}`)
  );
  const entries = array(entry, "must be a list of texts").check(
    _minLength(1, "must not be empty: leave the list out to allow all"),
    _maxLength(MAX_POLICY_ENTRIES, `must have at most ${MAX_POLICY_ENTRIES} entries`)
  );
  return optional(entries);
}
var MAX_POLICY_ENTRIES, MAX_POLICY_CHARS, ciPolicyRules, ciPolicySchema, REF_SEGMENT, REF_PATTERN, refPattern, workflowPattern, REF_FORM, ciPolicyRequestSchema;
var init_ci_policy = __esm({
  "src/contract/agents/ci-policy.ts"() {
    "use strict";
    init_mini();
    MAX_POLICY_ENTRIES = 50;
    MAX_POLICY_CHARS = 500;
    ciPolicyRules = ["events", "refs", "workflows", "actors"];
    ciPolicySchema = object({
      /** "push", "schedule" …; "pull_request" for every provider's. */
      events: optional(array(string2())),
      /** Full refs. `*` ends a segment, `**` stands for all segments that follow. */
      refs: optional(array(string2())),
      /** The file that started the job, on any ref, or on one: `.github/workflows/agent.yml@refs/heads/main`. */
      workflows: optional(array(string2())),
      /** The provider's ids of those who may start the job. */
      actors: optional(array(string2()))
    });
    REF_SEGMENT = String.raw`[^\s\p{Cc}~^:?*[\\/]`;
    REF_PATTERN = String.raw`refs(?=\/)(?:\/(?:${REF_SEGMENT}+\*?|\*))*(?:\/\*\*)?`;
    refPattern = new RegExp(`^${REF_PATTERN}$`, "u");
    workflowPattern = new RegExp(String.raw`^(?!\/)[^\p{Cc}@*]+(?:@${REF_PATTERN})?$`, "u");
    REF_FORM = "such as refs/heads/main, refs/heads/release/* or refs/tags/**, with * at the end of a segment";
    ciPolicyRequestSchema = strictObject(
      {
        events: list(/^[a-z_]{1,64}$/, "the name of an event, such as push"),
        refs: list(refPattern, `a full ref, ${REF_FORM}`),
        workflows: list(
          workflowPattern,
          `the path of a workflow file, alone or with "@" and a full ref, ${REF_FORM}`
        ),
        actors: list(/^[0-9]{1,20}$/, "a numeric id in a string, such as 583231")
      },
      `must be null, or an object of ${ciPolicyRules.join(", ")}`
    ).check(
      refine(
        (policy) => Object.values(policy).some((entries) => entries !== void 0),
        `must have one of ${ciPolicyRules.join(", ")}; null allows all jobs`
      )
    );
  }
});

// src/contract/agents/agent.ts
var agent_exports = {};
__export(agent_exports, {
  MAX_AGENT_NAME_CHARS: () => MAX_AGENT_NAME_CHARS,
  MAX_CONFIG_BYTES: () => MAX_CONFIG_BYTES,
  MAX_CONFIG_DEPTH: () => MAX_CONFIG_DEPTH,
  agentListSchema: () => agentListSchema,
  agentSchema: () => agentSchema,
  agentStatuses: () => agentStatuses,
  createAgentRequestSchema: () => createAgentRequestSchema,
  createAgentResponseSchema: () => createAgentResponseSchema,
  listAgentsQuerySchema: () => listAgentsQuerySchema,
  updateAgentRequestSchema: () => updateAgentRequestSchema
});
function text(maxChars) {
  const hasNoNul3 = refine((value) => !value.includes("\0"), "must not hold a NUL character");
  return string2().check(_minLength(1), _maxLength(maxChars), hasNoNul3);
}
var MAX_AGENT_NAME_CHARS, MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH, agentStatuses, configSchema, microUsdSchema, agentSchema, agentListSchema, createAgentResponseSchema, createAgentRequestSchema, updateAgentRequestSchema, listAgentsQuerySchema;
var init_agent = __esm({
  "src/contract/agents/agent.ts"() {
    "use strict";
    init_mini();
    init_bounded_object();
    init_ci_policy();
    MAX_AGENT_NAME_CHARS = 255;
    MAX_CONFIG_BYTES = 64 * 1024;
    MAX_CONFIG_DEPTH = 64;
    agentStatuses = ["warming", "ready", "sleeping"];
    configSchema = record(string2(), unknown());
    microUsdSchema = int().check(_gte(0));
    agentSchema = object({
      id: uuid2(),
      /** The owning account. */
      user_id: uuid2(),
      name: string2(),
      backend: string2(),
      model: string2(),
      config: configSchema,
      entity_disk_id: string2(),
      /** Absent while the state of its session is not known. */
      status: optional(_enum(agentStatuses)),
      created_at: iso_exports.datetime(),
      kind: optional(literal("independent")),
      /** Micro-USD a turn, 1,000,000 = 1 USD; 0 stops the advisor. Absent: no cap. */
      advisor_max_spend_micro_usd: optional(microUsdSchema),
      /** Of a repository's agent: which CI jobs may run it. Null: all of its repository's. */
      ci_policy: optional(nullable(ciPolicySchema))
    });
    agentListSchema = array(agentSchema);
    createAgentResponseSchema = extend2(agentSchema, { existing: optional(literal(true)) });
    createAgentRequestSchema = object({
      name: text(MAX_AGENT_NAME_CHARS),
      /** Left out: the router's default. */
      model: optional(text(255)),
      /** Opaque to the service. */
      config: optional(boundedObject({ maxBytes: MAX_CONFIG_BYTES, maxDepth: MAX_CONFIG_DEPTH })),
      /** `return` gives an agent of this name where there is one; `error`, the default, always makes one. */
      if_exists: optional(_enum(["return", "error"])),
      kind: optional(literal("independent"))
    });
    updateAgentRequestSchema = strictObject({
      /** Null clears the cap. */
      advisor_max_spend_micro_usd: optional(nullable(microUsdSchema)),
      /** The whole policy, in the place of the one before. Null clears it. */
      ci_policy: optional(nullable(ciPolicyRequestSchema))
    });
    listAgentsQuerySchema = object({ include_independent: optional(_enum(["true", "false"])) });
  }
});

// src/contract/ci/exchange.ts
var exchange_exports = {};
__export(exchange_exports, {
  ACCESS_TOKEN_TYPE: () => ACCESS_TOKEN_TYPE,
  CAPABILITY_PREFIX: () => CAPABILITY_PREFIX,
  CAPABILITY_SCOPE: () => CAPABILITY_SCOPE,
  ID_TOKEN_TYPE: () => ID_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT: () => TOKEN_EXCHANGE_GRANT,
  audienceResponseSchema: () => audienceResponseSchema,
  ciRepositorySchema: () => ciRepositorySchema,
  claimOutcomes: () => claimOutcomes,
  exchangeRequestSchema: () => exchangeRequestSchema,
  exchangeResponseSchema: () => exchangeResponseSchema,
  quotaSchema: () => quotaSchema,
  visibilities: () => visibilities
});
var ID_TOKEN_TYPE, ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT, CAPABILITY_PREFIX, CAPABILITY_SCOPE, visibilities, exchangeRequestSchema, claimOutcomes, ciRepositorySchema, quotaSchema, exchangeResponseSchema, audienceResponseSchema;
var init_exchange = __esm({
  "src/contract/ci/exchange.ts"() {
    "use strict";
    init_mini();
    init_problem();
    ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
    ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
    TOKEN_EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
    CAPABILITY_PREFIX = "svc_ci_";
    CAPABILITY_SCOPE = "ci:run";
    visibilities = ["public", "private", "internal"];
    exchangeRequestSchema = object({
      subject_token: string2(),
      subject_token_type: optional(string2()),
      grant_type: optional(string2()),
      /** The account that a job of the repository names to accept a pending claim. */
      account: optional(string2().check(_minLength(1), _maxLength(255))),
      /** The commit that the job runs on. Read only where the provider's token names none. */
      sha: optional(string2().check(_maxLength(64)))
    });
    claimOutcomes = ["none", "pending", "claimed", "refused_event"];
    ciRepositorySchema = object({
      provider: string2(),
      /** The provider's numeric id: it survives a rename and is not reused with the name. */
      id: string2(),
      owner_id: string2(),
      /** `owner/name` at the time of the token. A label, never a key. */
      name: string2(),
      visibility: _enum(visibilities)
    });
    quotaSchema = object({
      audience: _enum(audiences),
      credits_remaining: int(),
      resets_at: iso_exports.datetime()
    });
    exchangeResponseSchema = object({
      access_token: string2(),
      issued_token_type: string2(),
      token_type: literal("Bearer"),
      /** Seconds. */
      expires_in: int(),
      scope: string2(),
      agent_id: uuid2(),
      repository: ciRepositorySchema,
      quota: quotaSchema,
      claim_url: nullable(string2()),
      claim: optional(_enum(claimOutcomes))
    });
    audienceResponseSchema = object({ audience: string2() });
  }
});

// src/contract/claims/claim.ts
var claim_exports = {};
__export(claim_exports, {
  MAX_CLAIM_CHARS: () => MAX_CLAIM_CHARS,
  claimRequestSchema: () => claimRequestSchema,
  claimResponseSchema: () => claimResponseSchema,
  claimStatuses: () => claimStatuses
});
var MAX_CLAIM_CHARS, claimRequestSchema, claimStatuses, claimResponseSchema;
var init_claim = __esm({
  "src/contract/claims/claim.ts"() {
    "use strict";
    init_mini();
    init_exchange();
    MAX_CLAIM_CHARS = 255;
    claimRequestSchema = object({
      claim: string2().check(_minLength(1), _maxLength(MAX_CLAIM_CHARS))
    });
    claimStatuses = ["pending", "claimed"];
    claimResponseSchema = object({
      repository: ciRepositorySchema,
      agent_id: uuid2(),
      status: _enum(claimStatuses),
      /** Until when the repository can accept it; null once claimed. */
      expires_at: nullable(iso_exports.datetime())
    });
  }
});

// src/contract/money/credits.ts
var credits_exports = {};
__export(credits_exports, {
  PEG_CENTS: () => PEG_CENTS,
  activePlanSchema: () => activePlanSchema,
  creditPackSchema: () => creditPackSchema,
  creditPlanSchema: () => creditPlanSchema,
  creditsSchema: () => creditsSchema
});
var PEG_CENTS, creditPackSchema, creditPlanSchema, activePlanSchema, creditsSchema;
var init_credits = __esm({
  "src/contract/money/credits.ts"() {
    "use strict";
    init_mini();
    init_problem();
    PEG_CENTS = 1;
    creditPackSchema = object({ id: string2(), usd_cents: int(), credits: int() });
    creditPlanSchema = object({ id: string2(), usd_cents: int(), monthly_credits: int() });
    activePlanSchema = object({
      sku: string2(),
      /** Granted at the start of each period. */
      monthly_credits: int(),
      /** `active`, or `past_due`: it ends with its period unless it is paid. */
      status: string2(),
      current_period_end: iso_exports.datetime(),
      cancel_at_period_end: boolean2()
    });
    creditsSchema = object({
      /** Whole credits. */
      balance: int(),
      /** At or below it a client should warn. */
      low_credit_threshold: int(),
      peg_cents: int(),
      packs: array(creditPackSchema),
      plans: array(creditPlanSchema),
      active_plan: nullable(activePlanSchema),
      can_manage_billing: boolean2(),
      audience: _enum(audiences)
    });
  }
});

// src/contract/money/pricing.ts
var pricing_exports = {};
__export(pricing_exports, {
  modelPricingSchema: () => modelPricingSchema,
  toolModes: () => toolModes,
  toolPricingSchema: () => toolPricingSchema
});
var modelRate, modelPricingSchema, toolModes, toolPricingSchema;
var init_pricing = __esm({
  "src/contract/money/pricing.ts"() {
    "use strict";
    init_mini();
    modelRate = {
      id: string2(),
      in_nano_usd_per_tok: int(),
      /** Input that the model's provider had in its cache; as other input where it is absent. */
      cached_in_nano_usd_per_tok: optional(int()),
      out_nano_usd_per_tok: int(),
      free_tier_eligible: boolean2()
    };
    modelPricingSchema = object({
      credits_per_usd: int(),
      peg_cents: int(),
      note: string2(),
      model_tiers: array(
        object({ ...modelRate, credits_per_1k_in: number2(), credits_per_1k_out: number2() })
      ),
      models: array(object(modelRate)),
      free_max_model_out_nano_usd_per_tok: int()
    });
    toolModes = ["free", "per_call"];
    toolPricingSchema = object({
      peg_cents: int(),
      tools: array(
        object({
          tool: string2(),
          mode: _enum(toolModes),
          credits: int(),
          free_per_month: int(),
          note: string2()
        })
      ),
      allowance_reset: string2(),
      workflow: object({
        exec_credits: int(),
        included_seconds: int(),
        long_run_credits_per_minute: int(),
        note: string2()
      })
    });
  }
});

// src/contract/ci/ci-identity.ts
var ci_identity_exports = {};
__export(ci_identity_exports, {
  ciIdentitySchema: () => ciIdentitySchema,
  claimStates: () => claimStates
});
var claimStates, ciIdentitySchema;
var init_ci_identity = __esm({
  "src/contract/ci/ci-identity.ts"() {
    "use strict";
    init_mini();
    init_exchange();
    claimStates = ["unclaimed", "pending", "claimed"];
    ciIdentitySchema = object({
      provider: string2(),
      issuer: string2(),
      /** The one audience that this service takes, so that the token had it. */
      audience: string2(),
      repository: ciRepositorySchema,
      event: string2(),
      ref: string2(),
      /** The branch that a pull request wants to change, where the event is one. */
      base_ref: nullable(string2()),
      sha: string2(),
      run_id: string2(),
      run_attempt: string2(),
      /** The id of who caused the event, and the workflow's file with its ref; null where the token has none. */
      actor_id: nullable(string2()),
      workflow: nullable(string2()),
      agent_id: uuid2(),
      claim: _enum(claimStates),
      /** When the capability ends. */
      expires_at: iso_exports.datetime(),
      quota: quotaSchema
    });
  }
});

// src/contract/query.ts
function wholeNumber(options) {
  const { min, max, fallback } = options;
  return pipe(
    pipe(
      _default(
        string2().check(_regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)),
        String(fallback)
      ),
      transform((text2) => Number(text2))
    ),
    number2().check(_gte(min), _lte(max))
  );
}
var init_query = __esm({
  "src/contract/query.ts"() {
    "use strict";
    init_mini();
  }
});

// src/contract/runs/pull-request.ts
function isBranchName(text2) {
  if (text2.startsWith("-") || text2.startsWith("refs/") || text2 === "@" || text2 === "HEAD") return false;
  if (text2.includes("..") || text2.includes("@{") || text2.endsWith(".")) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(text2)) return false;
  return text2.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
var MAX_PULL_REQUEST_NUMBER, MAX_BRANCH_CHARS, pullRequestSchema;
var init_pull_request = __esm({
  "src/contract/runs/pull-request.ts"() {
    "use strict";
    init_mini();
    MAX_PULL_REQUEST_NUMBER = 2147483647;
    MAX_BRANCH_CHARS = 255;
    pullRequestSchema = object({
      number: int().check(_gte(1), _lte(MAX_PULL_REQUEST_NUMBER)),
      head_sha: string2().check(
        _regex(
          /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
          "must be a whole commit name: 40 or 64 hexadecimal digits, in lower case"
        )
      ),
      base_ref: string2().check(
        _minLength(1),
        _maxLength(MAX_BRANCH_CHARS),
        refine(
          isBranchName,
          'must be the plain name of a branch, as "main" is: without "refs/heads/", and a name that git allows'
        )
      )
    });
  }
});

// src/contract/runs/run.ts
var run_exports = {};
__export(run_exports, {
  DEFAULT_PAGE_RUNS: () => DEFAULT_PAGE_RUNS,
  MAX_IDEMPOTENCY_KEY_CHARS: () => MAX_IDEMPOTENCY_KEY_CHARS,
  MAX_OUTPUT_SCHEMA_BYTES: () => MAX_OUTPUT_SCHEMA_BYTES,
  MAX_OUTPUT_SCHEMA_DEPTH: () => MAX_OUTPUT_SCHEMA_DEPTH,
  MAX_PAGE_RUNS: () => MAX_PAGE_RUNS,
  MAX_SESSION_KEY_CHARS: () => MAX_SESSION_KEY_CHARS,
  MAX_TURN_TOKENS: () => MAX_TURN_TOKENS,
  cancelRunResponseSchema: () => cancelRunResponseSchema,
  isTerminal: () => isTerminal,
  listRunsQuerySchema: () => listRunsQuerySchema,
  messageRoles: () => messageRoles,
  messageSchema: () => messageSchema,
  partSchema: () => partSchema,
  partTypes: () => partTypes,
  runCauses: () => runCauses,
  runListSchema: () => runListSchema,
  runOrigins: () => runOrigins,
  runSchema: () => runSchema,
  runStatuses: () => runStatuses,
  submitRunRequestSchema: () => submitRunRequestSchema,
  submitRunResponseSchema: () => submitRunResponseSchema
});
function isTerminal(status) {
  return status === "completed" || status === "failed" || status === "cancelled";
}
function name(maxChars) {
  const hasNoNul3 = refine((text2) => !text2.includes("\0"), "must not hold a NUL character");
  return string2().check(_minLength(1), _maxLength(maxChars), hasNoNul3);
}
var MAX_OUTPUT_SCHEMA_BYTES, MAX_OUTPUT_SCHEMA_DEPTH, MAX_TURN_TOKENS, MAX_IDEMPOTENCY_KEY_CHARS, MAX_SESSION_KEY_CHARS, MAX_PAGE_RUNS, DEFAULT_PAGE_RUNS, runOrigins, runCauses, runStatuses, usageSchema, identity, accounting, timestamp, unsettled, started, runSchema, messageRoles, partTypes, partSchema, messageSchema, submitRunRequestSchema, submitRunResponseSchema, cancelRunResponseSchema, runListSchema, listRunsQuerySchema;
var init_run = __esm({
  "src/contract/runs/run.ts"() {
    "use strict";
    init_mini();
    init_bounded_object();
    init_query();
    init_pull_request();
    MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
    MAX_OUTPUT_SCHEMA_DEPTH = 64;
    MAX_TURN_TOKENS = 5e6;
    MAX_IDEMPOTENCY_KEY_CHARS = 255;
    MAX_SESSION_KEY_CHARS = 255;
    MAX_PAGE_RUNS = 100;
    DEFAULT_PAGE_RUNS = 50;
    runOrigins = ["user", "schedule", "background", "agent", "agent_result"];
    runCauses = [
      "user_stop",
      "interrupted",
      "stalled",
      "time_limit",
      "backend_error",
      "spawn_failed",
      "agent_deleted"
    ];
    runStatuses = ["queued", "running", "cancelling", "completed", "failed", "cancelled"];
    usageSchema = object({ credits: int(), tokens: int(), calls: int() });
    identity = {
      id: string2(),
      agent_id: uuid2(),
      thread_id: uuid2(),
      origin: _enum(runOrigins),
      parent_run_id: optional(string2())
    };
    accounting = {
      credits: nullable(int()),
      tokens: nullable(int()),
      gross_micro_usd: optional(int()),
      refunded_micro_usd: optional(int()),
      refund_reason: optional(string2()),
      refund_withheld_reason: optional(string2()),
      usage_by_role: optional(
        object({
          executor: optional(usageSchema),
          advisor: optional(usageSchema),
          reviewer: optional(usageSchema)
        })
      ),
      /** The stronger model that the run might ask. Its spending is gross, and its role's in `usage_by_role`. */
      advisor: optional(
        object({
          calls_used: int(),
          calls_allowed: int(),
          spend_micro_usd: int(),
          spend_cap_micro_usd: optional(int())
        })
      )
    };
    timestamp = iso_exports.datetime();
    unsettled = { credits: _null3(), tokens: _null3() };
    started = { started_at: timestamp, last_heartbeat_at: timestamp };
    runSchema = discriminatedUnion("status", [
      object({ status: literal("queued"), ...identity, ...unsettled }),
      object({ status: literal("running"), ...identity, ...unsettled, ...started }),
      object({ status: literal("cancelling"), ...identity, ...unsettled, ...started }),
      object({
        status: literal("completed"),
        ...identity,
        ...accounting,
        ...started,
        ended_at: timestamp,
        stop_reason: string2()
      }),
      object({
        status: literal("failed"),
        ...identity,
        ...accounting,
        started_at: optional(timestamp),
        last_heartbeat_at: optional(timestamp),
        ended_at: timestamp,
        cause: _enum(runCauses),
        retryable: boolean2()
      }),
      object({
        status: literal("cancelled"),
        ...identity,
        ...accounting,
        started_at: optional(timestamp),
        last_heartbeat_at: optional(timestamp),
        ended_at: timestamp,
        cause: _enum(runCauses)
      })
    ]);
    messageRoles = ["system", "user", "assistant", "tool"];
    partTypes = ["text", "image", "file"];
    partSchema = object({
      type: _enum(partTypes),
      path: optional(string2()),
      mime: optional(string2()),
      w: optional(int()),
      h: optional(int())
    });
    messageSchema = object({
      role: _enum(messageRoles),
      content: string2(),
      tool_call_id: optional(string2()),
      parts: optional(array(partSchema))
    });
    submitRunRequestSchema = object({
      message: optional(string2().check(_minLength(1))),
      messages: optional(array(messageSchema).check(_minLength(1))),
      /** The session to go on in; with neither this nor `session_key`, the run begins one. */
      session_id: optional(name(255)),
      /**
       * Names the session by a key of the caller's own, in the place of `session_id`: the first run with the key begins
       * it, every later one goes on in it. Keys belong to the agent: whoever may submit runs of it, its owner and every
       * job of its repository, reaches each of its sessions by the key, with all that was said there. A key keeps threads
       * apart, and protects nothing: make it of what the CI vouches for, as the number of an issue, and not of text that
       * an outsider wrote. It ends with the claim: after a release of the agent the same key begins a new session.
       *
       * Runs of one session that change files take their turns: each begins when the ones before it have ended.
       */
      session_key: optional(name(MAX_SESSION_KEY_CHARS)),
      /** With `session_key`: begins a session anew, and the key is its from then on. Else not read. */
      new_session: optional(boolean2()),
      /** A CI job's alone: the pull request whose head the run works on, in the place of the job's commit. */
      pull_request: optional(pullRequestSchema),
      idempotency_key: optional(name(MAX_IDEMPOTENCY_KEY_CHARS)),
      max_turn_tokens: optional(int().check(_gte(0), _lte(MAX_TURN_TOKENS))),
      /** A JSON Schema (2020-12) that the reply has to fit; it then also comes as the event `output`. */
      output_schema: optional(
        boundedObject({ maxBytes: MAX_OUTPUT_SCHEMA_BYTES, maxDepth: MAX_OUTPUT_SCHEMA_DEPTH })
      )
    });
    submitRunResponseSchema = object({ run_id: string2(), session_id: string2() });
    cancelRunResponseSchema = object({ runId: string2(), status: literal("cancelling") });
    runListSchema = array(runSchema);
    listRunsQuerySchema = object({
      before: optional(uuid2()),
      session_key: optional(name(MAX_SESSION_KEY_CHARS)),
      limit: wholeNumber({ min: 1, max: MAX_PAGE_RUNS, fallback: DEFAULT_PAGE_RUNS })
    });
  }
});

// src/contract/runs/run-event.ts
var CHANGES_EVENT, QUOTA_EVENT, OUTPUT_EVENT, runStartedSchema, runFinishedSchema, runErrorSchema, stepStartedSchema, stepFinishedSchema, textStartSchema, textContentSchema, textEndSchema, reasoningStartSchema, reasoningMessageStartSchema, reasoningMessageContentSchema, reasoningMessageEndSchema, reasoningEndSchema, toolStartSchema, toolArgsSchema, toolEndSchema, toolResultSchema, fileChangeStatuses, fileChangeSchema, heldBackFileSchema, changesSchema, quotaEventSchema, outputEventSchema, runEventSchema, foreignEventSchema, storedRunEventSchema;
var init_run_event = __esm({
  "src/contract/runs/run-event.ts"() {
    "use strict";
    init_mini();
    CHANGES_EVENT = "repository.changes";
    QUOTA_EVENT = "quota";
    OUTPUT_EVENT = "output";
    runStartedSchema = object({
      type: literal("RUN_STARTED"),
      threadId: string2(),
      runId: string2()
    });
    runFinishedSchema = object({
      type: literal("RUN_FINISHED"),
      threadId: string2(),
      runId: string2(),
      outcome: discriminatedUnion("type", [
        object({ type: literal("success") }),
        object({ type: literal("cancelled") })
      ])
    });
    runErrorSchema = object({ type: literal("RUN_ERROR"), message: string2(), code: string2() });
    stepStartedSchema = object({ type: literal("STEP_STARTED"), stepName: string2() });
    stepFinishedSchema = object({ type: literal("STEP_FINISHED"), stepName: string2() });
    textStartSchema = object({
      type: literal("TEXT_MESSAGE_START"),
      messageId: string2(),
      role: literal("assistant")
    });
    textContentSchema = object({
      type: literal("TEXT_MESSAGE_CONTENT"),
      messageId: string2(),
      delta: string2()
    });
    textEndSchema = object({ type: literal("TEXT_MESSAGE_END"), messageId: string2() });
    reasoningStartSchema = object({ type: literal("REASONING_START"), messageId: string2() });
    reasoningMessageStartSchema = object({
      type: literal("REASONING_MESSAGE_START"),
      messageId: string2(),
      role: literal("reasoning")
    });
    reasoningMessageContentSchema = object({
      type: literal("REASONING_MESSAGE_CONTENT"),
      messageId: string2(),
      delta: string2()
    });
    reasoningMessageEndSchema = object({
      type: literal("REASONING_MESSAGE_END"),
      messageId: string2()
    });
    reasoningEndSchema = object({ type: literal("REASONING_END"), messageId: string2() });
    toolStartSchema = object({
      type: literal("TOOL_CALL_START"),
      toolCallId: string2(),
      toolCallName: string2()
    });
    toolArgsSchema = object({
      type: literal("TOOL_CALL_ARGS"),
      toolCallId: string2(),
      delta: string2()
    });
    toolEndSchema = object({ type: literal("TOOL_CALL_END"), toolCallId: string2() });
    toolResultSchema = object({
      type: literal("TOOL_CALL_RESULT"),
      messageId: string2(),
      toolCallId: string2(),
      content: string2(),
      role: literal("tool")
    });
    fileChangeStatuses = ["added", "modified", "deleted", "renamed"];
    fileChangeSchema = object({
      path: string2(),
      status: _enum(fileChangeStatuses),
      additions: int(),
      deletions: int()
    });
    heldBackFileSchema = object({ path: string2(), reason: _enum(["protected", "too_large"]) });
    changesSchema = object({
      type: literal("CUSTOM"),
      name: literal(CHANGES_EVENT),
      value: object({
        base_sha: string2(),
        files: array(fileChangeSchema),
        patch: string2(),
        held_back: optional(array(heldBackFileSchema)),
        unreadable: optional(string2())
      })
    });
    quotaEventSchema = object({
      type: literal("CUSTOM"),
      name: literal(QUOTA_EVENT),
      value: object({ credits_remaining: int(), claim_url: nullable(string2()) })
    });
    outputEventSchema = object({
      type: literal("CUSTOM"),
      name: literal(OUTPUT_EVENT),
      value: json()
    });
    runEventSchema = discriminatedUnion("type", [
      runStartedSchema,
      runFinishedSchema,
      runErrorSchema,
      stepStartedSchema,
      stepFinishedSchema,
      textStartSchema,
      textContentSchema,
      textEndSchema,
      reasoningStartSchema,
      reasoningMessageStartSchema,
      reasoningMessageContentSchema,
      reasoningMessageEndSchema,
      reasoningEndSchema,
      toolStartSchema,
      toolArgsSchema,
      toolEndSchema,
      toolResultSchema,
      discriminatedUnion("name", [changesSchema, quotaEventSchema, outputEventSchema])
    ]);
    foreignEventSchema = looseObject({ type: string2() });
    storedRunEventSchema = object({
      seq: int().check(_gte(1)),
      at: iso_exports.datetime(),
      event: foreignEventSchema
    });
  }
});

// src/contract/ci/ci-run.ts
var ci_run_exports = {};
__export(ci_run_exports, {
  DEFAULT_PAGE_EVENTS: () => DEFAULT_PAGE_EVENTS,
  MAX_PAGE_EVENTS: () => MAX_PAGE_EVENTS,
  MAX_WAIT_SECONDS: () => MAX_WAIT_SECONDS,
  ciRunPageSchema: () => ciRunPageSchema,
  ciRunQuerySchema: () => ciRunQuerySchema
});
var MAX_WAIT_SECONDS, MAX_PAGE_EVENTS, DEFAULT_PAGE_EVENTS, ciRunQuerySchema, ciRunPageSchema;
var init_ci_run = __esm({
  "src/contract/ci/ci-run.ts"() {
    "use strict";
    init_mini();
    init_query();
    init_run();
    init_run_event();
    MAX_WAIT_SECONDS = 30;
    MAX_PAGE_EVENTS = 1e3;
    DEFAULT_PAGE_EVENTS = 500;
    ciRunQuerySchema = object({
      after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
      wait: wholeNumber({ min: 0, max: MAX_WAIT_SECONDS, fallback: 0 }),
      limit: wholeNumber({ min: 1, max: MAX_PAGE_EVENTS, fallback: DEFAULT_PAGE_EVENTS })
    });
    ciRunPageSchema = object({
      run: runSchema,
      events: array(storedRunEventSchema),
      next: int(),
      done: boolean2()
    });
  }
});

// src/contract/schedules/schedule.ts
var schedule_exports = {};
__export(schedule_exports, {
  MAX_DELAY_SECONDS: () => MAX_DELAY_SECONDS,
  MAX_METADATA_BYTES: () => MAX_METADATA_BYTES,
  createScheduleRequestSchema: () => createScheduleRequestSchema,
  scheduleListSchema: () => scheduleListSchema,
  scheduleSchema: () => scheduleSchema,
  scheduleStatuses: () => scheduleStatuses
});
var MAX_DELAY_SECONDS, MAX_METADATA_BYTES, scheduleStatuses, timestamp2, metadataSchema, common, confirmed, tried, fired, scheduleSchema, scheduleListSchema, hasNoNul, isUtc, isSmall, namesOneTime, createScheduleRequestSchema;
var init_schedule = __esm({
  "src/contract/schedules/schedule.ts"() {
    "use strict";
    init_mini();
    MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;
    MAX_METADATA_BYTES = 16 * 1024;
    scheduleStatuses = [
      "awaiting_confirmation",
      "pending",
      "firing",
      "dispatched",
      "done",
      "cancelled",
      "failed"
    ];
    timestamp2 = iso_exports.datetime();
    metadataSchema = record(string2(), unknown());
    common = {
      id: uuid2(),
      agent_id: uuid2(),
      kind: literal("once"),
      prompt: string2(),
      fire_at: timestamp2,
      thread_id: optional(uuid2()),
      metadata: metadataSchema,
      attempts: int(),
      created_at: timestamp2
    };
    confirmed = { confirmed_at: optional(timestamp2) };
    tried = { last_error: optional(string2()) };
    fired = { last_fired_at: timestamp2 };
    scheduleSchema = discriminatedUnion("status", [
      object({ status: literal("awaiting_confirmation"), ...common, confirm_url: url() }),
      object({ status: literal("pending"), ...common, ...confirmed, ...tried }),
      object({ status: literal("firing"), ...common, ...confirmed, ...tried }),
      object({ status: literal("dispatched"), ...common, ...confirmed, ...tried, ...fired }),
      object({ status: literal("done"), ...common, ...confirmed, ...tried, ...fired }),
      object({ status: literal("cancelled"), ...common, ...confirmed, ...tried }),
      object({ status: literal("failed"), ...common, ...confirmed, last_error: string2() })
    ]);
    scheduleListSchema = array(scheduleSchema);
    hasNoNul = refine((text2) => !text2.includes("\0"), "must not hold a NUL character");
    isUtc = refine(
      (text2) => /(?:Z|[+-]00:00)$/.test(text2),
      "must be in UTC, such as …T10:00:00Z"
    );
    isSmall = refine(
      (metadata) => new TextEncoder().encode(JSON.stringify(metadata)).length <= MAX_METADATA_BYTES,
      `may have ${MAX_METADATA_BYTES} bytes of JSON at most`
    );
    namesOneTime = refine(
      (body) => body.fire_at === void 0 !== (body.delay_seconds === void 0),
      'exactly one of "fire_at" and "delay_seconds" is required'
    );
    createScheduleRequestSchema = object({
      prompt: string2().check(_minLength(1), hasNoNul),
      fire_at: optional(iso_exports.datetime({ offset: true }).check(isUtc)),
      delay_seconds: optional(int().check(_gte(1), _lte(MAX_DELAY_SECONDS))),
      session_id: optional(string2().check(_minLength(1), _maxLength(255), hasNoNul)),
      metadata: optional(metadataSchema.check(isSmall))
    }).check(namesOneTime);
  }
});

// src/contract/workflows/workflow.ts
var workflow_exports = {};
__export(workflow_exports, {
  MAX_WORKFLOW_INPUT_CHARS: () => MAX_WORKFLOW_INPUT_CHARS,
  activateWorkflowRequestSchema: () => activateWorkflowRequestSchema,
  executeWorkflowRequestSchema: () => executeWorkflowRequestSchema,
  executeWorkflowResponseSchema: () => executeWorkflowResponseSchema,
  workflowSchema: () => workflowSchema
});
var MAX_WORKFLOW_INPUT_CHARS, workflowSchema, activateWorkflowRequestSchema, executeWorkflowRequestSchema, executeWorkflowResponseSchema;
var init_workflow = __esm({
  "src/contract/workflows/workflow.ts"() {
    "use strict";
    init_mini();
    MAX_WORKFLOW_INPUT_CHARS = 1e5;
    workflowSchema = object({
      id: uuid2(),
      agent_id: uuid2(),
      name: string2(),
      /** The newest version. */
      version: int(),
      /** The version that an execution runs; null until the owner activates one. */
      active_version: nullable(int()),
      created_at: iso_exports.datetime(),
      updated_at: iso_exports.datetime()
    });
    activateWorkflowRequestSchema = strictObject({
      version: optional(int().check(_gte(1)))
    });
    executeWorkflowRequestSchema = strictObject({
      input: optional(string2().check(_minLength(1), _maxLength(MAX_WORKFLOW_INPUT_CHARS)))
    });
    executeWorkflowResponseSchema = object({
      run_id: string2(),
      session_id: string2(),
      /** The version that runs. */
      version: int()
    });
  }
});

// src/client/idempotency-key.ts
function randomIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] ?? 0) & 15 | 64;
  bytes[8] = (bytes[8] ?? 0) & 63 | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// src/base/backoff.ts
function nextDelayMs(policy, step) {
  if (step.attempt >= policy.attempts) return null;
  if (step.retryAfterMs !== void 0) {
    if (step.retryAfterMs > policy.maxDelayMs) return null;
    return Math.round(step.retryAfterMs * (1 + step.random / 10));
  }
  const ceilingMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (step.attempt - 1));
  return Math.round(ceilingMs * (0.5 + step.random / 2));
}
function parseRetryAfterMs(header, nowMs) {
  if (header === void 0 || header.trim() === "") return void 0;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1e3;
  const at = Date.parse(header);
  return Number.isNaN(at) ? void 0 : Math.max(0, at - nowMs);
}

// src/client/errors.ts
var ClientError = class extends Error {
  /** Stable word for the cause. */
  code;
  constructor(code, message, options) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
};
var ApiError = class extends ClientError {
  status;
  requestId;
  /** Method, host and path of the request; undefined where the error was made without one. */
  call;
  /** Finer than `code`, where the service gives one. */
  reason;
  expected;
  got;
  audience;
  claimUrl;
  retryAfterMs;
  constructor(fields) {
    super(fields.code, fields.message);
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.call = fields.call;
    this.reason = fields.reason;
    this.expected = fields.expected;
    this.got = fields.got;
    this.audience = fields.audience;
    this.claimUrl = fields.claimUrl ?? null;
    this.retryAfterMs = fields.retryAfterMs;
  }
};
var ConnectionError = class extends ClientError {
  constructor(message, options) {
    super(options?.code ?? "connection_failed", message, options);
  }
};
var TimeoutError = class extends ConnectionError {
  timeoutMs;
  constructor(message, timeoutMs) {
    super(message, { code: "timed_out" });
    this.timeoutMs = timeoutMs;
  }
};
var DecodeError = class extends ClientError {
  status;
  contentType;
  retryAfterMs;
  constructor(fields) {
    super("unexpected_answer", fields.message, fields.cause === void 0 ? {} : { cause: fields.cause });
    this.status = fields.status;
    this.contentType = fields.contentType;
    this.retryAfterMs = fields.retryAfterMs;
  }
};
var EventGapError = class extends ClientError {
  after;
  constructor(runId, after) {
    super("events_missing", `Run ${runId} has no event ${after + 1}, though it has later ones.`);
    this.after = after;
  }
};

// src/client/transport.ts
var fetchTransport = async (request2) => {
  const expired = AbortSignal.timeout(request2.timeoutMs);
  const signal = request2.signal === void 0 ? expired : AbortSignal.any([request2.signal, expired]);
  try {
    const response = await fetch(request2.url, {
      method: request2.method,
      headers: request2.headers,
      redirect: "manual",
      signal,
      ...request2.body === void 0 ? {} : { body: request2.body }
    });
    return {
      status: response.status,
      headers: (name3) => response.headers.get(name3) ?? void 0,
      body: await readText(response, request2.maxBodyBytes)
    };
  } catch (cause) {
    request2.signal?.throwIfAborted();
    if (expired.aborted) throw timedOut(request2);
    if (cause instanceof DecodeError) throw cause;
    throw connectionFailed(request2, cause);
  }
};
function timedOut(request2) {
  const where = describe(request2);
  return new TimeoutError(`No answer to ${where} within ${request2.timeoutMs} ms.`, request2.timeoutMs);
}
function connectionFailed(request2, cause) {
  const why = causeCode(cause);
  const message = `No answer to ${describe(request2)}: ${why}.`;
  if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS/.test(why)) return new ConnectionError(message, { cause });
  return new ConnectionError(`${message} Trust its certificate with NODE_EXTRA_CA_CERTS.`, {
    cause,
    code: "certificate_refused"
  });
}
function describe(request2) {
  const { host, pathname } = new URL(request2.url);
  return `${request2.method} ${host}${pathname}`;
}
async function readText(response, maxBytes) {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text2 = "";
  let bytes = 0;
  const reader = response.body.getReader();
  for (; ; ) {
    const { done, value } = await reader.read();
    if (done) return text2 + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      const message = `The answer is larger than ${maxBytes} bytes.`;
      throw new DecodeError({ message, status: response.status, contentType: "" });
    }
    text2 += decoder.decode(value, { stream: true });
  }
}
function causeCode(cause) {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return cause instanceof Error && cause.message !== "" ? cause.message : "the connection broke";
}

// src/client/decode.ts
async function decodeAnswer(answer, decoder) {
  const { status } = answer.response;
  if (status < 200 || status >= 400) throw await refusalOf(answer);
  if (status >= 300) throw unexpected(answer, redirectText(answer));
  const parsed = (await decoder()).safeParse(parseJson(answer));
  if (parsed.success) return parsed.data;
  throw unexpected(answer, "answered with a body that is not in the contract", parsed.error);
}
async function decodeEmpty(answer) {
  const { status } = answer.response;
  if (status < 200 || status >= 400) throw await refusalOf(answer);
  if (status >= 300) throw unexpected(answer, redirectText(answer));
}
async function refusalOf(answer) {
  const { response } = answer;
  const body = parseJson(answer);
  const { problemSchema: problemSchema2 } = await Promise.resolve().then(() => (init_problem(), problem_exports));
  const parsed = problemSchema2.safeParse(body);
  if (!parsed.success) {
    return unexpected(answer, `answered ${response.status} with a body that is not in the contract`);
  }
  const { error, code, request_id, claim_url, ...rest } = parsed.data;
  return new ApiError({
    ...rest,
    status: response.status,
    code,
    message: error,
    requestId: request_id,
    call: describe(answer.request),
    claimUrl: claim_url,
    retryAfterMs: retryAfterOf(answer)
  });
}
function parseJson(answer) {
  const { response } = answer;
  const contentType = contentTypeOf(response);
  if (contentType.includes("html")) {
    throw unexpected(answer, `answered ${response.status} with an HTML page instead of JSON`);
  }
  if (!/^application\/([\w.+-]+\+)?json\b/.test(contentType)) {
    throw unexpected(
      answer,
      `answered ${response.status} with "${contentType || "no type"}" instead of JSON`
    );
  }
  try {
    return JSON.parse(response.body);
  } catch {
    throw unexpected(answer, `answered ${response.status} with JSON that does not parse`);
  }
}
function unexpected(answer, what, cause) {
  return new DecodeError({
    message: `${describe(answer.request)} ${what}${requestIdText(answer)}.`,
    status: answer.response.status,
    contentType: contentTypeOf(answer.response),
    retryAfterMs: retryAfterOf(answer),
    cause
  });
}
function redirectText(answer) {
  const { request: request2, response } = answer;
  const location = URL.parse(response.headers("location") ?? "", request2.url);
  const target = location === null ? "" : ` to ${location.origin}`;
  return `redirects (${response.status})${target}; give the final address as the base URL`;
}
function requestIdText({ response }) {
  const requestId = response.headers("x-request-id") ?? "";
  return /^[\w.:-]{1,100}$/.test(requestId) ? ` (request ${requestId})` : "";
}
function contentTypeOf(response) {
  return (response.headers("content-type") ?? "").toLowerCase().slice(0, 100);
}
function retryAfterOf(answer) {
  return parseRetryAfterMs(answer.response.headers("retry-after"), answer.nowMs);
}

// src/client/retry.ts
var CALL_RETRY = { attempts: 8, firstDelayMs: 500, maxDelayMs: 6e4 };
var FOLLOW_RETRY = { attempts: 12, firstDelayMs: 500, maxDelayMs: 6e4 };
async function retrying(options, attempt) {
  for (let attempts = 1; ; attempts += 1) {
    options.signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const delayMs = nextDelayMs(options.policy, {
        attempt: attempts,
        retryAfterMs: retryAfterMs(error),
        random: options.random()
      });
      if (delayMs === null) throw error;
      options.onRetry?.({ attempt: attempts, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}
var inFlightCodes = /* @__PURE__ */ new Set(["idempotency_key_in_flight", "session_key_in_flight"]);
function isTransient(error) {
  if (error instanceof ConnectionError) return error.code !== "certificate_refused";
  if (error instanceof ApiError) {
    return isTransientStatus(error.status) || inFlightCodes.has(error.code);
  }
  return error instanceof DecodeError && (isTransientStatus(error.status) || isPage(error));
}
function isTransientStatus(status) {
  return status >= 500 || status === 429;
}
function isPage(error) {
  return error.status < 300 && error.contentType.includes("html");
}
function retryAfterMs(error) {
  return error instanceof ApiError || error instanceof DecodeError ? error.retryAfterMs : void 0;
}

// src/client/request.ts
var ATTEMPT_TIMEOUT_MS = 3e4;
var MAX_BODY_BYTES = 64 * 1024 * 1024;
async function request(connection, call) {
  return send(connection, call, (answer) => decodeAnswer(answer, call.decoder));
}
async function requestValue(connection, call) {
  const answer = await request(connection, {
    method: "GET",
    effect: "repeatable",
    credential: "renewable",
    ...call
  });
  return answer.value;
}
async function requestNothing(connection, call) {
  await send(connection, call, decodeEmpty);
}
async function send(connection, call, decode2) {
  let mayRefresh = call.credential === "renewable" && connection.credential.refresh !== void 0;
  const attempt = async () => {
    const request2 = await buildRequest(connection, call);
    const response = await connection.transport(request2);
    try {
      const value = await decode2({ request: request2, response, nowMs: connection.clock.now() });
      return { value, header: response.headers };
    } catch (error) {
      if (!mayRefresh || !isUnauthorized(error)) throw error;
      mayRefresh = false;
      await connection.credential.refresh?.(call.signal);
      return attempt();
    }
  };
  if (call.effect === "once") return attempt();
  return retrying({ ...connection, policy: call.retry ?? connection.retry, signal: call.signal }, attempt);
}
async function buildRequest(connection, call) {
  const url2 = new URL(connection.baseUrl + call.path);
  for (const [name3, value] of Object.entries(call.query ?? {})) url2.searchParams.set(name3, String(value));
  const token = call.credential === "none" ? null : await connection.credential.token();
  return {
    method: call.method,
    url: url2.href,
    headers: {
      accept: "application/json",
      "user-agent": connection.userAgent,
      ...call.headers,
      ...call.body === void 0 ? {} : { "content-type": "application/json" },
      ...token === null ? {} : { authorization: `Bearer ${token}` }
    },
    ...call.body === void 0 ? {} : { body: JSON.stringify(call.body) },
    timeoutMs: call.timeoutMs ?? ATTEMPT_TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    signal: call.signal
  };
}
function isUnauthorized(error) {
  return error instanceof ApiError && error.status === 401 && error.code === "unauthorized";
}

// src/client/agents.ts
function agentClient(connection) {
  const decoder = async () => (await Promise.resolve().then(() => (init_agent(), agent_exports))).agentSchema;
  return {
    createAgent: ({ body, idempotencyKey = randomIdempotencyKey(), signal }) => requestValue(connection, {
      method: "POST",
      path: "/v1/agents",
      body,
      headers: { "idempotency-key": idempotencyKey },
      decoder: async () => (await Promise.resolve().then(() => (init_agent(), agent_exports))).createAgentResponseSchema,
      signal
    }),
    listAgents: (options) => requestValue(connection, {
      path: "/v1/agents",
      query: options?.includeIndependent === true ? { include_independent: "true" } : {},
      decoder: async () => (await Promise.resolve().then(() => (init_agent(), agent_exports))).agentListSchema,
      signal: options?.signal
    }),
    getAgent: (agent) => requestValue(connection, { path: agentPath(agent), decoder, signal: agent.signal }),
    updateAgent: ({ body, ...agent }) => requestValue(connection, {
      method: "PATCH",
      path: agentPath(agent),
      body,
      decoder,
      signal: agent.signal
    }),
    stopAgent: (agent) => requestValue(connection, {
      method: "POST",
      path: `${agentPath(agent)}/stop`,
      decoder,
      signal: agent.signal
    }),
    retireAgent: (agent) => requestValue(connection, {
      method: "POST",
      path: `${agentPath(agent)}/retire`,
      decoder,
      signal: agent.signal
    })
  };
}
function agentPath({ agentId }) {
  return `/v1/agents/${encodeURIComponent(agentId)}`;
}

// src/client/claims.ts
function claimClient(connection) {
  return {
    claim: ({ claim: claim2, signal }) => requestValue(connection, {
      method: "POST",
      path: "/v1/ci/claim",
      body: { claim: claim2 },
      decoder: async () => (await Promise.resolve().then(() => (init_claim(), claim_exports))).claimResponseSchema,
      signal
    })
  };
}

// src/client/credits.ts
function creditsClient(connection) {
  return {
    getCredits: ({ userId, signal }) => requestValue(connection, {
      path: `/v1/users/${encodeURIComponent(userId)}/credits`,
      decoder: async () => (await Promise.resolve().then(() => (init_credits(), credits_exports))).creditsSchema,
      signal
    }),
    modelPricing: (options) => requestValue(connection, {
      path: "/v1/pricing/models",
      credential: "none",
      decoder: async () => (await Promise.resolve().then(() => (init_pricing(), pricing_exports))).modelPricingSchema,
      signal: options?.signal
    }),
    toolPricing: (options) => requestValue(connection, {
      path: "/v1/pricing/tools",
      credential: "none",
      decoder: async () => (await Promise.resolve().then(() => (init_pricing(), pricing_exports))).toolPricingSchema,
      signal: options?.signal
    })
  };
}

// src/base/clock.ts
var systemClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const wake = () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
  })
};

// src/client/ci.ts
var LONG_POLL_MARGIN_MS = 15e3;
function ciClient(connection) {
  return {
    exchange: (options) => exchangeToken(connection, options),
    revoke: (options) => requestNothing(connection, {
      method: "DELETE",
      path: "/v1/ci/oidc/exchange",
      effect: "repeatable",
      credential: "as-is",
      decoder: null,
      signal: options?.signal
    }),
    audience: (options) => requestValue(connection, {
      path: "/v1/ci/oidc/audience",
      credential: "none",
      decoder: async () => (await Promise.resolve().then(() => (init_exchange(), exchange_exports))).audienceResponseSchema,
      signal: options?.signal
    }),
    identity: (options) => requestValue(connection, {
      path: "/v1/ci/identity",
      decoder: async () => (await Promise.resolve().then(() => (init_ci_identity(), ci_identity_exports))).ciIdentitySchema,
      signal: options?.signal
    }),
    readCiRun: (options) => readPage(connection, options)
  };
}
async function exchangeToken(connection, options) {
  const { signal } = options;
  return retrying({ ...connection, policy: connection.retry, signal }, async () => {
    const subjectToken = await options.subjectToken();
    const answer = await request(connection, {
      method: "POST",
      path: "/v1/ci/oidc/exchange",
      // The contract's words, written out: its schemas are not to load before this request is on its way.
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        subject_token: subjectToken,
        ...options.account === void 0 ? {} : { account: options.account },
        ...options.sha === void 0 ? {} : { sha: options.sha }
      },
      effect: "once",
      credential: "none",
      decoder: async () => (await Promise.resolve().then(() => (init_exchange(), exchange_exports))).exchangeResponseSchema,
      signal
    });
    return answer.value;
  });
}
async function readPage(connection, options) {
  const { runId, after = 0, waitSeconds = 0, limit, retry, signal } = options;
  return await requestValue(connection, {
    path: `/v1/ci/runs/${encodeURIComponent(runId)}`,
    query: { after, wait: waitSeconds, ...limit === void 0 ? {} : { limit } },
    decoder: async () => (await Promise.resolve().then(() => (init_ci_run(), ci_run_exports))).ciRunPageSchema,
    timeoutMs: waitSeconds * 1e3 + LONG_POLL_MARGIN_MS,
    ...retry === void 0 ? {} : { retry },
    signal
  });
}

// src/client/follow.ts
var WAIT_SECONDS = 25;
var PAGE_EVENTS = 500;
var SHORTEST_WAIT_MS = 1e3;
function followRun(follower, options) {
  const { runId, signal, retry = FOLLOW_RETRY } = options;
  const position = { run: null, cursor: options.after ?? 0 };
  async function* events() {
    for (let gaps = 0; ; ) {
      const askedAt = follower.clock.now();
      const page = await follower.readCiRun({
        runId,
        after: position.cursor,
        waitSeconds: WAIT_SECONDS,
        limit: PAGE_EVENTS,
        retry,
        signal
      });
      position.run = page.run;
      const before = position.cursor;
      for (const stored of page.events) {
        if (stored.seq <= position.cursor) continue;
        if (stored.seq > position.cursor + 1) break;
        position.cursor = stored.seq;
        yield stored;
      }
      if (position.cursor > before) gaps = 0;
      if (hasGap(page, position.cursor)) {
        gaps += 1;
        const delayMs = nextDelayMs(retry, { attempt: gaps, random: follower.random() });
        if (delayMs === null) throw new EventGapError(runId, position.cursor);
        await follower.clock.sleep(delayMs, signal);
      } else if (page.done) {
        return page.run;
      } else if (position.cursor === before) {
        const heldMs = follower.clock.now() - askedAt;
        if (heldMs < SHORTEST_WAIT_MS) await follower.clock.sleep(SHORTEST_WAIT_MS - heldMs, signal);
      }
    }
  }
  return {
    get run() {
      return position.run;
    },
    get cursor() {
      return position.cursor;
    },
    [Symbol.asyncIterator]: events
  };
}
function hasGap(page, cursor) {
  const last = page.events.at(-1);
  return page.next > cursor || last !== void 0 && last.seq > cursor;
}

// src/client/runs.ts
function runClient(connection) {
  return {
    submitRun: (options) => submit(connection, options),
    listRuns: ({ agentId, sessionKey, before, limit, signal }) => requestValue(connection, {
      path: runsPath(agentId),
      query: {
        ...sessionKey === void 0 ? {} : { session_key: sessionKey },
        ...before === void 0 ? {} : { before },
        ...limit === void 0 ? {} : { limit }
      },
      decoder: async () => (await Promise.resolve().then(() => (init_run(), run_exports))).runListSchema,
      signal
    }),
    getRun: (run) => requestValue(connection, {
      path: runPath(run),
      decoder: async () => (await Promise.resolve().then(() => (init_run(), run_exports))).runSchema,
      signal: run.signal
    }),
    cancelRun: (run) => requestValue(connection, {
      method: "POST",
      path: `${runPath(run)}/cancel`,
      decoder: async () => (await Promise.resolve().then(() => (init_run(), run_exports))).cancelRunResponseSchema,
      signal: run.signal
    })
  };
}
async function submit(connection, options) {
  const { agentId, body, signal } = options;
  const key = options.idempotencyKey ?? body.idempotency_key ?? randomIdempotencyKey();
  const { value, header } = await request(connection, {
    method: "POST",
    path: runsPath(agentId),
    body,
    headers: { "idempotency-key": key },
    effect: "repeatable",
    credential: "renewable",
    decoder: async () => (await Promise.resolve().then(() => (init_run(), run_exports))).submitRunResponseSchema,
    signal
  });
  const replayed = header("x-svc-idempotent-replay") === "true";
  return { runId: value.run_id, sessionId: value.session_id, replayed };
}
function runsPath(agentId) {
  return `/v1/agents/${encodeURIComponent(agentId)}/runs`;
}
function runPath({ agentId, runId }) {
  return `${runsPath(agentId)}/${encodeURIComponent(runId)}`;
}

// src/client/job-client.ts
function jobClient(connection) {
  const ci = ciClient(connection);
  return {
    ...ci,
    ...runClient(connection),
    follow: (follow) => followRun({ ...connection, readCiRun: ci.readCiRun }, follow)
  };
}
function connect(options) {
  const credential = options.credential ?? (() => null);
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    credential: typeof credential === "function" ? { token: credential } : credential,
    transport: options.transport ?? fetchTransport,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    retry: options.retry ?? CALL_RETRY,
    userAgent: options.userAgent ?? "agent-service-client",
    onRetry: options.onRetry
  };
}

// src/client/schedules.ts
function scheduleClient(connection) {
  const decoder = async () => (await Promise.resolve().then(() => (init_schedule(), schedule_exports))).scheduleSchema;
  return {
    createSchedule: ({ body, ...agent }) => requestValue(connection, {
      method: "POST",
      path: schedulesPath(agent),
      body,
      effect: "once",
      decoder,
      signal: agent.signal
    }),
    listSchedules: (agent) => requestValue(connection, {
      path: schedulesPath(agent),
      decoder: async () => (await Promise.resolve().then(() => (init_schedule(), schedule_exports))).scheduleListSchema,
      signal: agent.signal
    }),
    getSchedule: (schedule) => requestValue(connection, { path: schedulePath(schedule), decoder, signal: schedule.signal }),
    confirmSchedule: (schedule) => requestValue(connection, {
      method: "POST",
      path: `${schedulePath(schedule)}/confirm`,
      decoder,
      signal: schedule.signal
    }),
    cancelSchedule: (schedule) => requestValue(connection, {
      method: "DELETE",
      path: schedulePath(schedule),
      decoder,
      signal: schedule.signal
    })
  };
}
function schedulesPath({ agentId }) {
  return `/v1/agents/${encodeURIComponent(agentId)}/schedules`;
}
function schedulePath(schedule) {
  return `${schedulesPath(schedule)}/${encodeURIComponent(schedule.scheduleId)}`;
}

// src/contract/sessions/socket.ts
init_mini();
init_problem();
init_run();
init_run_event();
var SOCKET_PATH = "/v1/ws";
var MAX_FRAME_BYTES = 1024 * 1024;
var closeCodes = {
  /** It is text frames only. */
  unsupportedData: 1003,
  /** Answers are not read. */
  policyViolation: 1008,
  /** The service stops: connect again, and subscribe from the cursors that were told. */
  serviceRestart: 1012,
  /** Not authenticated in time, or with a credential that is refused. */
  unauthorized: 4401,
  /** Authenticated too often, or for an account that has too many sockets: connect again later. */
  tooMany: 4429
};
var frameId = string2().check(_minLength(1), _maxLength(64));
var name2 = string2().check(_minLength(1), _maxLength(255), refine(hasNoNul2, "must not hold a NUL character"));
var seq = int().check(_gte(0));
var runCursorSchema = seq;
var sessionCursorSchema = object({ run_id: name2, seq });
var cursorSchema = union([runCursorSchema, sessionCursorSchema]);
var authSchema = object({ type: literal("auth"), token: string2().check(_maxLength(4096)) });
var subscribeSchema = object({
  type: literal("subscribe"),
  id: frameId,
  run_id: optional(name2),
  session_id: optional(name2),
  after: optional(nullable(cursorSchema))
}).check(
  refine(
    ({ run_id, session_id }) => run_id === void 0 !== (session_id === void 0),
    'exactly one of "run_id" and "session_id" is required'
  ),
  refine(
    ({ run_id, after }) => after == null || typeof after === "number" === (run_id !== void 0),
    '"after" is a number for a run, {run_id, seq} for a session'
  )
);
var unsubscribeSchema = object({ type: literal("unsubscribe"), id: frameId });
var submitSchema = extend2(submitRunRequestSchema, {
  type: literal("submit"),
  id: frameId,
  agent_id: name2
});
var cancelSchema = object({ type: literal("cancel"), id: frameId, agent_id: name2, run_id: name2 });
var clientFrameSchema = discriminatedUnion("type", [
  authSchema,
  subscribeSchema,
  unsubscribeSchema,
  submitSchema,
  cancelSchema
]);
var unsubscribedReasons = ["ended", "asked", "refused", "unauthorized"];
var resumeAfter = nullable(cursorSchema);
var serverFrameSchema = discriminatedUnion("type", [
  /** The credential is good; until when, where it ends by itself. */
  object({ type: literal("ready"), expires_at: nullable(iso_exports.datetime()) }),
  object({ type: literal("subscribed"), subscription: frameId }),
  /** A run as it stands: before its first event, and after its last. */
  object({ type: literal("run"), subscription: frameId, run: runSchema }),
  extend2(storedRunEventSchema, { type: literal("event"), subscription: frameId, run_id: string2() }),
  object({
    type: literal("unsubscribed"),
    subscription: frameId,
    reason: _enum(unsubscribedReasons),
    resume_after: resumeAfter
  }),
  /** Ended, because its frames were not read for long. Subscribe again from there. */
  object({ type: literal("slow"), subscription: frameId, resume_after: resumeAfter }),
  /** Ended, because the service stops; the close follows. */
  object({ type: literal("stopping"), subscription: frameId, resume_after: resumeAfter }),
  object({
    type: literal("submitted"),
    id: frameId,
    run_id: string2(),
    session_id: string2(),
    /** True when an earlier request with the same key made this run. */
    replayed: boolean2()
  }),
  object({ type: literal("cancelling"), id: frameId, run_id: string2() }),
  /** `id` is that of the frame, or of the subscription, that failed; absent where there is none to name. */
  object({
    type: literal("error"),
    id: optional(string2()),
    code: string2(),
    error: string2(),
    request_id: string2(),
    reason: optional(string2()),
    audience: optional(_enum(audiences)),
    claim_url: optional(nullable(string2())),
    retry_after_seconds: optional(int())
  })
]);
function hasNoNul2(text2) {
  return !text2.includes("\0");
}

// src/client/session.ts
var SUBSCRIPTION = "session";
var SessionRefusedError = class extends ClientError {
};
function sessionClient(connection) {
  return { session: (options) => followSession(connection, options) };
}
function followSession(connection, options) {
  const { signal, retry = FOLLOW_RETRY } = options;
  const position = { cursor: options.after ?? null };
  async function* items() {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      let retryAfterMs2;
      for await (const frame of frames(connection, { ...options, after: position.cursor })) {
        if (frame.type === "error") {
          if (frame.retry_after_seconds !== void 0) retryAfterMs2 = frame.retry_after_seconds * 1e3;
          break;
        }
        attempt = 1;
        if (frame.type === "run") yield { type: "run", run: frame.run };
        if (frame.type !== "event") continue;
        const { run_id: runId, seq: seq2, at, event } = frame;
        position.cursor = { run_id: runId, seq: seq2 };
        yield { type: "event", runId, seq: seq2, at, event };
      }
      const delayMs = nextDelayMs(retry, { attempt, retryAfterMs: retryAfterMs2, random: connection.random() });
      if (delayMs === null) throw new ConnectionError(`No socket to ${connection.baseUrl}.`);
      await connection.clock.sleep(delayMs, signal);
    }
  }
  return {
    get cursor() {
      return position.cursor;
    },
    [Symbol.asyncIterator]: items
  };
}
async function* frames(connection, options) {
  const token = await connection.credential.token();
  const socket = new WebSocket(`${connection.baseUrl.replace(/^http/, "ws")}${SOCKET_PATH}`);
  const arrived = [];
  let closedWith = null;
  let wake = () => {
  };
  const send2 = (frame) => socket.send(JSON.stringify(frame));
  socket.onopen = () => {
    send2({ type: "auth", token: token ?? "" });
    const { sessionId: session_id, after } = options;
    send2({ type: "subscribe", id: SUBSCRIPTION, session_id, ...after == null ? {} : { after } });
  };
  socket.onmessage = ({ data }) => {
    const frame = serverFrameSchema.safeParse(JSON.parse(String(data)));
    if (frame.success) arrived.push(frame.data);
    wake();
  };
  socket.onclose = ({ code }) => {
    closedWith = code;
    wake();
  };
  const onAbort = () => socket.close();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (; ; ) {
      const frame = arrived.shift();
      if (frame !== void 0) {
        if (frame.type === "error" && !mayPass(frame)) throw new SessionRefusedError(frame.code, frame.error);
        if (frame.type === "slow" || frame.type === "unsubscribed") return;
        yield frame;
      } else if (closedWith === closeCodes.unauthorized) {
        throw new SessionRefusedError("unauthorized", "The service refused the credential.");
      } else if (closedWith !== null) {
        options.signal?.throwIfAborted();
        return;
      } else {
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    socket.close();
  }
}
function mayPass({ code }) {
  return code === "rate_limited" || code === "capacity_reached";
}

// src/client/workflows.ts
function workflowClient(connection) {
  return {
    activateWorkflow: ({ workflowId, body = {}, signal }) => requestValue(connection, {
      method: "POST",
      path: `${workflowPath(workflowId)}/activate`,
      body,
      effect: body.version === void 0 ? "once" : "repeatable",
      decoder: async () => (await Promise.resolve().then(() => (init_workflow(), workflow_exports))).workflowSchema,
      signal
    }),
    executeWorkflow: ({ workflowId, body = {}, idempotencyKey = randomIdempotencyKey(), signal }) => requestValue(connection, {
      method: "POST",
      path: `${workflowPath(workflowId)}/executions`,
      body,
      headers: { "idempotency-key": idempotencyKey },
      decoder: async () => (await Promise.resolve().then(() => (init_workflow(), workflow_exports))).executeWorkflowResponseSchema,
      signal
    })
  };
}
function workflowPath(workflowId) {
  return `/v1/workflows/${encodeURIComponent(workflowId)}`;
}

// src/client/client.ts
function createClient(options) {
  const connection = connect(options);
  return {
    ...jobClient(connection),
    ...sessionClient(connection),
    ...agentClient(connection),
    ...scheduleClient(connection),
    ...creditsClient(connection),
    ...workflowClient(connection),
    ...claimClient(connection)
  };
}
export {
  ApiError,
  ClientError,
  ConnectionError,
  DecodeError,
  EventGapError,
  SessionRefusedError,
  TimeoutError,
  createClient
};
