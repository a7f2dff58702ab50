import{r as __name}from"./rolldown-runtime.mjs";import{n as refused,t as ok}from"./result.mjs";import{t as NoPlaceError}from"./beside-service.mjs";import{At as EGRESS_PORT,It as proxyVariables,Nt as MODEL_PORT,Qa as PathRules,Vn as import_websocket,Vt as lastComplaint,Za as walkTree,_t as offlineVariables,bt as identityVariables,ft as argvOf,gt as harmlessConfiguration,jt as GATEWAY_PORT,mt as prepareCommand,oo as WOKEN,pt as BoundedOutput,vt as scrubbedEnvironment,xt as identityWay,zt as SandboxError}from"./service.mjs";import{d as isDotGit,i as errorCode,r as parseObject,s as isCovered,t as isObject}from"./json.mjs";import{chmod,lstat,mkdir,open,readFile,readlink,rm,symlink}from"node:fs/promises";import{basename,dirname,isAbsolute,join}from"node:path";import{constants}from"node:fs";import{PassThrough,Writable}from"node:stream";import{connect}from"node:net";import{once}from"node:events";import{Agent,request}from"node:https";const frameKinds={end:0,file:1,more:2,folder:3,link:4,removed:5,output:6,skipped:7,started:8,alive:9,opened:10,data:11,ended:12,closed:13,complaint:14,terminated:15},MAX_CONTENT_BYTES=1048576,nothing=Buffer.alloc(0);function encodeFrame({kind,mode=0,path=``,content=nothing}){let name=Buffer.from(path,`latin1`),header=Buffer.alloc(15);return header.writeUInt8(kind,0),header.writeUInt16BE(mode,1),header.writeUInt32BE(name.length,3),header.writeDoubleBE(content.length,7),Buffer.concat([header,name,content])}var FrameError=class extends Error{name=`FrameError`},FrameReader=class{#rest=nothing;push(bytes){let rest=this.#rest.length===0?bytes:Buffer.concat([this.#rest,bytes]),frames=[];for(;rest.length>=15;){let[pathBytes,contentBytes]=[rest.readUInt32BE(3),rest.readDoubleBE(7)];if(!(Number.isInteger(contentBytes)&&contentBytes>=0)||contentBytes>1048576||pathBytes>8192)throw new FrameError(`The pod answered with something else than frames.`);let whole=15+pathBytes+contentBytes;if(rest.length<whole)break;frames.push({kind:rest.readUInt8(0),mode:rest.readUInt16BE(1),path:rest.toString(`latin1`,15,15+pathBytes),content:rest.subarray(15+pathBytes,whole)}),rest=rest.subarray(whole)}return this.#rest=rest,frames}};const emptyInGit=new Set([`config.worktree`,`credentials`,`FETCH_HEAD`]),leftOutOfGit=new Set([`modules`,`worktrees`,`hooks`]);var LocalTree=class{#checkout;#stamps=null;#givenBytes=0;constructor(checkout){this.#checkout=checkout}get bytes(){let sum=0;for(let{bytes}of this.#stamps?.values()??[])sum+=bytes;return sum}get givenBytes(){return this.#givenBytes}async whole(){return await this.#changes(null)}async changes(){return await this.#changes(this.#stamps)}async#changes(before){let{root,gitFolder,hasGit=!0}=this.#checkout,entries=await this.#entries(),stamps=new Map(entries.map(({path,about})=>[path,knownOf(about)])),changed=entries.filter(({path})=>before?.get(path)?.stamp!==stamps.get(path)?.stamp),removed=before===null?[]:[...before.keys()].filter(path=>!stamps.has(path)),git=before===null&&hasGit?await gitEntries(gitFolder??join(root,`.git`)):[],bytes=[...changed,...git].reduce((sum,{about})=>sum+about.size,0),frames=async function*(){for(let path of removed)yield encodeFrame({kind:frameKinds.removed,path});yield*framesOfAll(changed.map(entry=>({...entry,from:root,target:entry.path}))),yield*framesOfAll(git.map(entry=>({...entry,target:`.git/${entry.path}`})))},isEmpty=changed.length+removed.length+git.length===0,keep=()=>{this.#stamps=stamps,before===null&&(this.#givenBytes=bytes)};return{isEmpty,bytes,frames,keep}}async#entries(){let{root,covered}=this.#checkout,paths=[];return await walkTree(root,({path,kind})=>kind===`git`||kind===`other`?!1:(paths.push(path),!0)),(await inTurns(paths,async path=>{let about=await lstat(placeOf(root,path)).catch(()=>null);return about===null||isCovered(covered,about)?[]:[{path,about}]})).flat()}receive(){let{root,covered,isLeftOut}=this.#checkout,received=new Set,last=null,take=async frame=>{if(frame.kind===frameKinds.more){last!==null&&await append(placeOf(root,last),frame.content);return}let{path}=frame;if(isForeign(path))throw new FrameError(`The pod names a file that is not in the tree.`);last=null,path.split(`/`).some(isDotGit)||isCovered(covered,{path})||isLeftOut?.(path)===!0||(received.add(path),await write(root,frame),frame.kind===frameKinds.file&&(last=path))},keep=async()=>{let stamps=this.#stamps??new Map;for(let path of received)for(let one of[...parentsOf(path),path]){let about=await lstat(placeOf(root,one)).catch(()=>null);about===null?removeBelow(stamps,one):stamps.set(one,knownOf(about))}this.#stamps=stamps};return{take,keep}}};function knownOf(about){return{stamp:stampOf(about),bytes:about.isFile()?about.size:0}}function stampOf(about){let mode=about.mode&511;return about.isDirectory()?`d${mode}`:[`${about.isSymbolicLink()?`l`:`f`}${mode}`,about.size,about.mtimeMs,about.ctimeMs,about.ino].join(` `)}function placeOf(root,path){return Buffer.concat([Buffer.from(`${root}/`),Buffer.from(path,`latin1`)])}function parentsOf(path){let parts=path.split(`/`);return parts.slice(1).map((_,at)=>parts.slice(0,at+1).join(`/`))}function removeBelow(stamps,path){if(stamps.delete(path))for(let known of stamps.keys())known.startsWith(`${path}/`)&&stamps.delete(known)}function isForeign(path){let parts=path.split(`/`);return parts.length>128||parts.some(part=>part===``||part===`.`||part===`..`||part.length>255)||path.includes(`\0`)}async function*framesOfAll(all){for(let at=0;at<all.length;at+=32){let turn=all.slice(at,at+32),frames=await Promise.all(turn.map(one=>isLarge(one)?null:frameOf(one)));for(let[index,frame]of frames.entries()){let one=turn[index];frame===null?one!==void 0&&isLarge(one)&&(yield*framesOfFile(placeOf(one.from,one.path),one)):yield frame}}}function isLarge({about,content}){return content===void 0&&about.isFile()&&about.size>262144}async function frameOf({from,path,target,about,content}){let place=placeOf(from,path),mode=about.mode&511;if(content!==void 0)return encodeFrame({kind:frameKinds.file,path:target,mode:420,content});if(about.isDirectory())return encodeFrame({kind:frameKinds.folder,path:target,mode});if(about.isSymbolicLink()){let link=await readlink(place,{encoding:`buffer`}).catch(()=>null);return link===null?null:encodeFrame({kind:frameKinds.link,path:target,content:link})}let flag=constants.O_RDONLY|constants.O_NOFOLLOW|constants.O_NONBLOCK,bytes=await readFile(place,{flag}).catch(()=>null);return bytes===null||bytes.length>1048576?null:encodeFrame({kind:frameKinds.file,path:target,mode,content:bytes})}async function*framesOfFile(place,{target,about}){let mode=about.mode&511,flags=constants.O_RDONLY|constants.O_NOFOLLOW|constants.O_NONBLOCK,file=await open(place,flags).catch(()=>null);if(file!==null)try{for(let isFirst=!0;;isFirst=!1){let part=Buffer.alloc(MAX_CONTENT_BYTES),{bytesRead}=await file.read(part,0,part.length);if(bytesRead===0&&!isFirst)return;let content=part.subarray(0,bytesRead);if(yield encodeFrame(isFirst?{kind:frameKinds.file,path:target,mode,content}:{kind:frameKinds.more,content}),bytesRead<part.length)return}}finally{await file.close()}}async function gitEntries(folder){if((await lstat(folder).catch(()=>null))?.isDirectory()!==!0)return[];let paths=[];await walkTree(folder,({path,kind})=>leftOutOfGit.has(path)||kind!==`file`&&kind!==`folder`?!1:(paths.push(path),!0));let config=await readFile(join(folder,`config`),`utf8`).catch(()=>``);return(await inTurns(paths,async path=>{let about=await lstat(placeOf(folder,path)).catch(()=>null);if(about===null)return[];let entry={path,about,from:folder};return path===`config`?[{...entry,content:Buffer.from(harmlessConfiguration(config))}]:emptyInGit.has(path)?[{...entry,content:Buffer.alloc(0)}]:[entry]})).flat()}async function write(root,{kind,path,mode,content}){let place=placeOf(root,path);if(!await readyFolder(root,path,{isMade:kind!==frameKinds.removed}))return;let found=await lstat(place).catch(()=>null);switch(kind){case frameKinds.removed:found!==null&&await removeAny(place,found);return;case frameKinds.folder:return found!==null&&!found.isDirectory()&&await rm(place),found?.isDirectory()!==!0&&await mkdir(place),await chmod(place,mode&511|448);case frameKinds.link:return content.length>4096||content.includes(0)?void 0:(found!==null&&await removeAny(place,found),await symlink(content,place));case frameKinds.file:{found!==null&&await removeAny(place,found);let flags=constants.O_WRONLY|constants.O_CREAT|constants.O_EXCL|constants.O_NOFOLLOW,file=await open(place,flags);try{await file.writeFile(content),await file.chmod(mode&511|384)}finally{await file.close()}return}default:throw new FrameError(`The pod answered with a frame of no known kind.`)}}async function readyFolder(root,path,{isMade}){for(let parent of parentsOf(path)){let place=placeOf(root,parent),found=await lstat(place).catch(()=>null);if(found?.isDirectory()!==!0){if(!isMade)return!1;found!==null&&await rm(place),await mkdir(place)}}return!0}async function removeAny(place,found){if(!found.isDirectory())return await rm(place);await rm(place,{recursive:!0,force:!0})}async function append(place,content){let file=await open(place,constants.O_WRONLY|constants.O_APPEND|constants.O_NOFOLLOW);try{await file.writeFile(content)}finally{await file.close()}}async function inTurns(all,work){let done=[];for(let at=0;at<all.length;at+=32)done.push(...await Promise.all(all.slice(at,at+32).map(work)));return done}const MAX_BODY_BYTES=4194304;var ClusterError=class extends Error{name=`ClusterError`;status;reason;constructor(message,{status,reason=``,cause}){super(message,{cause}),this.status=status,this.reason=reason}get isAway(){return this.status===null||this.status===429||this.status>=500}},ClusterClient=class{#access;#agent=new Agent({keepAlive:!0,maxSockets:64});constructor(access){this.#access=access}get url(){return this.#access.url}async namespace(){return this.#access.namespace??(await this.#read(`namespace`)).trim()}async headersAndCa(){let[token,ca]=await Promise.all([this.#read(`token`),this.#read(`ca.crt`)]);return{headers:{authorization:`Bearer ${token.trim()}`},ca}}async request(asked){let answer=await this.#send(asked).catch(async cause=>{if(cause instanceof ClusterError&&cause.status===401)return await this.#send(asked);throw cause}),body=parseObject(await textOf(answer,asked.signal));if(body===null)throw new ClusterError(`The API server answered with no object.`,{status:null});return body}async*watch(asked){let{path,resourceVersion,signal}=asked,query={...asked.query,watch:`1`,timeoutSeconds:`240`,resourceVersion},answer=await this.#send({method:`GET`,path,query,signal},27e4),rest=``;try{answer.setEncoding(`utf8`);for await(let chunk of answer){if(rest+=String(chunk),rest.length>MAX_BODY_BYTES)throw new ClusterError(`An event is too large.`,{status:null});let lines=rest.split(`
`);rest=lines.pop()??``;for(let line of lines){let event=parseObject(line);if(event!==null&&typeof event.type==`string`&&isObject(event.object)){if(event.type===`ERROR`)throw errorOf(event.object,numberOf(event.object.code));yield{type:event.type,object:event.object}}}}}catch(cause){throw signal.throwIfAborted(),cause instanceof ClusterError?cause:away(cause)}finally{answer.destroy()}}close(){this.#agent.destroy()}async#read(name){let path=join(this.#access.credentials,name);return await readFile(path,`utf8`).catch(cause=>{throw new ClusterError(`${path} cannot be read: does the pod have a service account?`,{status:0,cause})})}async#send({method,path,query={},body,signal},timeoutMs=3e4){signal.throwIfAborted();let{headers,ca}=await this.headersAndCa(),url=new URL(this.#access.url);url.pathname=`${url.pathname.replace(/\/$/,``)}${path}`,url.search=new URLSearchParams(query).toString();let sent=body===void 0?void 0:JSON.stringify(body),answer=await new Promise((resolve,reject)=>{let asked=request(url,{method,ca,agent:this.#agent,signal,timeout:timeoutMs,headers:{...headers,accept:`application/json`,...sent===void 0?{}:{"content-type":`application/json`,"content-length":Buffer.byteLength(sent)}}});asked.once(`timeout`,()=>asked.destroy(Error(`no answer in time`))),asked.once(`error`,cause=>reject(signal.aborted?signal.reason:away(cause))),asked.once(`response`,resolve),asked.end(sent)}),{statusCode=0}=answer;if(statusCode<300)return answer;let text=await textOf(answer,signal);throw errorOf(parseObject(text)??{message:text.slice(0,500)},statusCode)}};function errorOf(status,code){let{message,reason}=status,said=typeof message==`string`&&message!==``?message.slice(0,500):`no reason`;return new ClusterError(`The API server of Kubernetes refused (${code??`?`}): ${said}`,{status:code,reason:typeof reason==`string`?reason:``})}function away(cause){return new ClusterError(`The API server of Kubernetes does not answer (${errorCode(cause)??(cause instanceof Error?cause.message:`no reason`)}).`,{status:null,cause})}function numberOf(value){return typeof value==`number`?value:null}async function textOf(answer,signal){let text=``;try{answer.setEncoding(`utf8`);for await(let chunk of answer)if(text+=String(chunk),text.length>MAX_BODY_BYTES)throw Error(`the answer is too large`)}catch(cause){throw signal.throwIfAborted(),away(cause)}return text}async function followObject({client,clock,collection,name,signal},accept){let delayMs=100,version=null;for(;;){signal.throwIfAborted();try{if(version===null){let object=await readObject({client,collection,name,signal}),accepted=accept(object);if(accepted!==void 0)return accepted;version=versionOf(object)}if(version!==null){let query={fieldSelector:`metadata.name=${name}`};for await(let event of client.watch({path:collection,query,resourceVersion:version,signal})){if(version=versionOf(event.object)??version,delayMs=100,event.type===`BOOKMARK`)continue;let accepted=accept(event.type===`DELETED`?null:event.object);if(accepted!==void 0)return accepted}}}catch(cause){if(signal.throwIfAborted(),!(cause instanceof ClusterError))throw cause;if(cause.status===410)version=null;else if(!cause.isAway)throw cause}await clock.sleep(delayMs,signal),delayMs=Math.min(3e3,delayMs*2)}}async function readObject({client,collection,name,signal,missing=()=>!0}){try{return await client.request({method:`GET`,path:`${collection}/${name}`,signal})}catch(cause){if(cause instanceof ClusterError&&cause.status===404&&missing(cause))return null;throw cause}}function versionOf(object){let metadata=object?.metadata;return isObject(metadata)&&typeof metadata.resourceVersion==`string`?metadata.resourceVersion:null}const EXTENSIONS=`extensions.agents.x-k8s.io`,VERSION=`v1beta1`;var NoPodError=class extends Error{name=`NoPodError`};function claimName(runId,suffix=``){return`${`run-${runId}`.toLowerCase().replaceAll(/[^a-z0-9-]/g,`-`).slice(0,63-suffix.length)}${suffix}`.replace(/-+$/,``)}function claimObject({name,namespace,pool,endsAt}){return{apiVersion:`${EXTENSIONS}/${VERSION}`,kind:`SandboxClaim`,metadata:{name,namespace,labels:{"app.kubernetes.io/managed-by":`agent-service`}},spec:{warmPoolRef:{name:pool},lifecycle:{shutdownTime:rfc3339(endsAt),shutdownPolicy:`Delete`},additionalPodMetadata:{annotations:{"cluster-autoscaler.kubernetes.io/safe-to-evict":`false`}}}}}async function claimPod(claims,{name,endsAt,signal}){let{client,clock,namespace,pool,waitMs}=claims,collection=claimsOf(namespace),late=new AbortController,timer=clock.sleep(waitMs,AbortSignal.any([signal,late.signal])).then(()=>late.abort(LATE),()=>{}),waiting=AbortSignal.any([signal,late.signal]),why=`it is not ready`,isClaimed=!1;try{await createClaim(claims,{name,body:claimObject({name,namespace,pool,endsAt}),signal:waiting,tell:text=>{why=text}}),isClaimed=!0;let claim=await followObject({client,clock,collection,name,signal:waiting},object=>{if(object===null)throw new NoPodError(`The claim of the run's pod was deleted by somebody else.`);let{isReady,text,sandbox}=readinessOf(object);return why=text,isReady&&sandbox!==null?{sandbox,uid:uidOf(object)}:void 0}),pod=await podNameOf(claims,claim.sandbox,waiting);return{claim:name,uid:claim.uid,pod,podUid:await runningPod(claims,pod,waiting)}}catch(cause){throw isClaimed&&await deleteClaim(claims,{claim:name,uid:null}),signal.throwIfAborted(),cause===LATE?new NoPodError(`${`No pod of the pool ${pool} was ready within ${Math.round(waitMs/1e3)} s: ${why}.`} Tell the operator of this service.`):cause instanceof ClusterError?new NoPodError(`No pod could be had for the run. ${cause.message}`,{cause}):cause}finally{late.abort(LATE),await timer}}const LATE=Symbol(`late`);async function createClaim(claims,{name,body,signal,tell}){let{client,clock,namespace}=claims,collection=claimsOf(namespace);for(;;){try{await client.request({method:`POST`,path:collection,body,signal});return}catch(cause){if(signal.throwIfAborted(),!(cause instanceof ClusterError))throw cause;let isFull=cause.status===403&&cause.message.includes(`exceeded quota`);if(cause.status===409){tell(`a pod of an earlier worker of the run is still ending`),await deleteClaim(claims,{claim:name,uid:null}),await followObject({client,clock,collection,name,signal},object=>object===null||void 0);continue}if(!isFull&&!cause.isAway)throw cause;tell(isFull?`the quota of the namespace is used up`:cause.message.replace(/\.$/,``))}await clock.sleep(2e3,signal)}}async function deleteClaim({client,namespace},{claim,uid}){let path=`${claimsOf(namespace)}/${claim}`,body={apiVersion:`v1`,kind:`DeleteOptions`,propagationPolicy:`Background`,...uid===null?{}:{preconditions:{uid}}};await client.request({method:`DELETE`,path,body,signal:AbortSignal.timeout(1e4)}).catch(cause=>{if(!(cause instanceof ClusterError)&&!isTimeout(cause))throw cause})}async function podState({client,namespace},{pod,podUid},signal){let object=await readObject({client,collection:podsOf(namespace),name:pod,signal});if(object===null||uidOf(object)!==podUid)return{isThere:!1,why:`it was deleted`};let{metadata,status}=object,{reason,message}=isObject(status)?status:{},phase=phaseOf(object),said=[reason,message].filter(one=>typeof one==`string`&&one!==``).join(`: `);return phase===`Failed`||phase===`Succeeded`?{isThere:!1,why:said===``?`it has ended`:said}:isObject(metadata)&&metadata.deletionTimestamp!==void 0?{isThere:!1,why:said===``?`it is being deleted`:said}:{isThere:!0}}async function podImages({client,namespace},{pod},signal){let object=await readObject({client,collection:podsOf(namespace),name:pod,signal}),{containerStatuses}=isObject(object?.status)?object.status:{},[first]=Array.isArray(containerStatuses)?containerStatuses:[],{image,imageID}=isObject(first)?first:{};return[image,imageID].filter(one=>typeof one==`string`)}async function podNameOf({client,namespace},sandbox,signal){let metadata=(await readObject({client,collection:`/apis/agents.x-k8s.io/${VERSION}/namespaces/${namespace}/sandboxes`,name:sandbox,signal}))?.metadata,named=(isObject(metadata)&&isObject(metadata.annotations)?metadata.annotations:{})[`agents.x-k8s.io/pod-name`];return typeof named==`string`&&named!==``?named:sandbox}async function runningPod({client,clock,namespace},pod,signal){for(;;){let object=await readObject({client,collection:podsOf(namespace),name:pod,signal}).catch(cause=>{if(cause instanceof ClusterError&&cause.isAway)return null;throw cause});if(object!==null&&phaseOf(object)===`Running`)return uidOf(object);await clock.sleep(250,signal)}}function readinessOf({status,metadata}){let{conditions,sandbox}=isObject(status)?status:{},ready=(Array.isArray(conditions)?conditions:[]).find(one=>isObject(one)&&one.type===`Ready`),name=isObject(sandbox)&&typeof sandbox.name==`string`?sandbox.name:``,isEnding=isObject(metadata)&&metadata.deletionTimestamp!==void 0,said=[ready?.reason,ready?.message].filter(one=>typeof one==`string`&&one!==``);return{isReady:ready?.status===`True`&&!isEnding,text:said.length===0?`no controller has answered the claim`:said.join(`: `).replace(/\.$/,``),sandbox:name===``?null:name}}function claimsOf(namespace){return`/apis/${EXTENSIONS}/${VERSION}/namespaces/${namespace}/sandboxclaims`}function podsOf(namespace){return`/api/v1/namespaces/${namespace}/pods`}function uidOf({metadata}){return isObject(metadata)&&typeof metadata.uid==`string`?metadata.uid:``}function phaseOf({status}){return isObject(status)&&typeof status.phase==`string`?status.phase:``}function isTimeout(cause){return cause instanceof Error&&cause.name===`TimeoutError`}function rfc3339(ms){return new Date(ms).toISOString().replace(/\.\d+Z$/,`Z`)}const channels={input:0,output:1,complaint:2,status:3,close:255},MAX_MESSAGE_BYTES=32768;async function execInPod(exec){let{client,signal}=exec;signal.throwIfAborted();let socket=await connect$1(exec),cut=new AbortController,complaint=``,status=null,fault=null,taken=Promise.resolve(),isAlive=!0,silentPings=0,ping=setInterval(()=>{if(!socket.isPaused){if(!isAlive||silentPings===3)return socket.terminate();isAlive=!1,silentPings+=1,socket.ping()}},exec.pingMs).unref(),abort=()=>socket.terminate();signal.addEventListener(`abort`,abort,{once:!0}),socket.on(`pong`,()=>{isAlive=!0});let closed=new Promise(resolve=>socket.once(`close`,()=>resolve()));socket.on(`error`,cause=>{fault??={cause:away(cause)}}),socket.on(`message`,data=>{isAlive=!0,silentPings=0;let[channel,...rest]=[data[0],data.subarray(1)],[bytes]=rest;channel===channels.complaint?complaint=(complaint+bytes.toString(`utf8`)).slice(-2e3):channel===channels.status?status=parseObject(bytes.toString(`utf8`)):channel===channels.output&&bytes.length>0&&(socket.pause(),taken=taken.then(()=>exec.onOutput(bytes)).catch(cause=>{fault??={cause},socket.terminate()}).finally(()=>socket.resume()))});try{let sending=send(socket,exec.input,{closed,isCut:cut.signal}).catch(cause=>{fault??={cause},socket.terminate()});await closed,cut.abort(),await Promise.all([taken,sending]),signal.throwIfAborted();let end=status===null?null:exitCodeOf(status);if(end!==null&&!(fault!==null&&isOwn(fault)))return{exitCode:end,complaint};throw fault===null?status===null?new ClusterError(`The connection to the pod at ${new URL(client.url).host} was cut.`,{status:null}):errorOf(status,500):fault.cause}finally{clearInterval(ping),signal.removeEventListener(`abort`,abort),socket.terminate()}}function isOwn({cause}){return!(cause instanceof ClusterError)}async function connect$1({client,namespace,pod,command,signal}){let{headers,ca}=await client.headersAndCa(),url=new URL(client.url.replace(/^http/,`ws`));url.pathname=`${url.pathname.replace(/\/$/,``)}/api/v1/namespaces/${namespace}/pods/${pod}/exec`;let query=[...command.map(word=>[`command`,word]),[`stdin`,`true`],[`stdout`,`true`]];url.search=new URLSearchParams([...query,[`stderr`,`true`]]).toString();let socket=new import_websocket.default(url,[`v5.channel.k8s.io`],{headers,ca,handshakeTimeout:2e4,maxPayload:33554432,perMessageDeflate:!1,followRedirects:!1}),abort=()=>socket.terminate();signal.addEventListener(`abort`,abort,{once:!0});try{await new Promise((resolve,reject)=>{socket.once(`open`,resolve),socket.once(`error`,cause=>reject(away(cause))),socket.once(`unexpected-response`,(_,answer)=>{let text=``;answer.setEncoding(`utf8`),answer.on(`data`,chunk=>{text=(text+chunk).slice(0,4e3)});let refuse=()=>reject(errorOf(parseObject(text)??{message:text},answer.statusCode??0));answer.once(`end`,refuse),answer.once(`close`,refuse)})})}catch(cause){throw socket.on(`error`,()=>{}),socket.terminate(),signal.throwIfAborted(),cause}finally{signal.removeEventListener(`abort`,abort)}return socket}__name(connect$1,`connect`);async function send(socket,input,{closed,isCut}){let pieces=input[Symbol.asyncIterator]();for(;;){let next=await Promise.race([pieces.next(),closed.then(()=>null)]);if(next===null)return void pieces.return?.().catch(()=>{});if(next.done===!0)break;let bytes=next.value;for(let at=0;at<bytes.length;at+=MAX_MESSAGE_BYTES){if(isCut.aborted)return;await sendOn(socket,channels.input,bytes.subarray(at,at+MAX_MESSAGE_BYTES))}}isCut.aborted||await sendOn(socket,channels.close,Uint8Array.of(channels.input))}async function sendOn(socket,channel,bytes){await new Promise(resolve=>{socket.send(Buffer.concat([Uint8Array.of(channel),bytes]),()=>resolve())})}function exitCodeOf(status){if(status.status===`Success`)return 0;let{details}=status;if(!isObject(details)||!Array.isArray(details.causes))return null;for(let one of details.causes)if(isObject(one)&&one.reason===`ExitCode`&&typeof one.message==`string`)return Number(one.message);return null}const podCommands=String.raw`
// Commands.
const folderOf = (id) => own + "/commands/" + id;
const isAlive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
const marked = (id) => {
  const found = [];
  for (const name of fs.readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name) || Number(name) === process.pid) continue;
    if ((readText("/proc/" + name + "/environ") || "").split("\0").includes(MARK + "=" + id)) found.push(Number(name));
  }
  return found;
};
const endAll = (id, group) => {
  if (group !== undefined) try { process.kill(-group, "SIGKILL"); } catch {}
  // As fast as they multiply, they end in one of these rounds. One look may come between a process and the one that replaces it.
  for (let round = 0, empty = 0; round < 20 && empty < 2; round += 1) {
    const left = marked(id);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const pid of left) try { process.kill(pid, "SIGKILL"); } catch {}
  }
};
const oomKills = () => Number(/^oom_kill (\d+)$/m.exec(readText("/sys/fs/cgroup/memory.events") || "")?.[1] ?? 0);
const freeBytes = () => { const { bavail, bsize } = fs.statfsSync(base); return bavail * bsize; };
const weigh = (folder, enough) => {
  let bytes = 0;
  const folders = [folder];
  while (folders.length > 0 && bytes <= enough) {
    const inside = folders.pop();
    let names = [];
    try { names = fs.readdirSync(inside, { encoding: "latin1" }); } catch {}
    for (const name of names) {
      const path = Buffer.concat([inside, Buffer.from("/" + name, "latin1")]);
      const about = look(path);
      if (about === null) continue;
      bytes += Math.max(4096, about.blocks * 512);
      if (about.isDirectory()) folders.push(path);
    }
  }
  return bytes;
};
const supervise = async (command) => {
  const { id, argv, env, cwd, keepsHome, timeoutMs, maxWrittenBytes, maxDiskBytes, inputBytes } = command;
  const input = await take(inputBytes);
  const folder = folderOf(id);
  const home = keepsHome ? base + "/home" : base + "/homes/" + id;
  fs.mkdirSync(home, { recursive: true });
  const startedMs = performance.now();
  const end = (value) => {
    endAll(id, value.group);
    if (!keepsHome) remove(home);
    writeText(folder + "/end", JSON.stringify({ ...value, group: undefined, durationMs: Math.round(performance.now() - startedMs) }));
    process.exit(0);
  };
  const output = fs.openSync(folder + "/output", "a");
  const place = tree + (cwd === "" ? "" : "/" + cwd);
  if (look(place) === null) { fs.writeSync(output, "The folder is not in the pod.\n"); return end({ exitCode: 126, signal: null }); }
  const weight = weigh(Buffer.from(base), Infinity), allowed = Math.max(maxDiskBytes, weight);
  const before = { killed: oomKills(), free: freeBytes() };
  const variables = { PATH: inherited.PATH || "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: "/tmp", ...env, [MARK]: id };
  const child = spawn(argv[0], argv.slice(1), { cwd: place, env: variables, detached: true, stdio: [inputBytes > 0 ? "pipe" : "ignore", output, output] });
  let limit;
  const pass = (passed) => { limit ??= passed; endAll(id, child.pid); };
  child.on("error", (cause) => {
    if (child.pid !== undefined) return;
    fs.writeSync(output, argv[0] + ": " + cause.code + "\n");
    end({ exitCode: cause.code === "ENOENT" ? 127 : 126, signal: null });
  });
  if (child.pid === undefined) return;
  writeText(folder + "/pid", String(child.pid));
  child.on("exit", (exitCode, signal) => {
    // Orphan processes end before the output is read for the last time.
    endAll(id, child.pid);
    if (limit === undefined && signal === "SIGKILL" && oomKills() > before.killed) limit = "memory";
    if (fs.fstatSync(output).size > maxWrittenBytes) limit ??= "output";
    // It can have been faster than the next look. The disk is others', too: what it lost is no more than a reason to weigh.
    if (weight + before.free - freeBytes() > allowed && weigh(Buffer.from(base), allowed) > allowed) limit ??= "disk";
    end({ exitCode: limit === undefined ? exitCode : null, signal: limit === undefined ? signal : "SIGKILL", limit, group: child.pid });
  });
  if (inputBytes > 0) { child.stdin.on("error", () => {}); child.stdin.end(input); }
  const timeout = setTimeout(() => pass("time"), timeoutMs);
  timeout.unref();
  let weighedMs = performance.now(), tookMs = 0;
  for (;;) {
    await sleep(LOOK_MS);
    if (look(folder + "/stop") !== null) pass("stopped");
    if (fs.fstatSync(output).size > maxWrittenBytes) pass("output");
    // Weighing takes a twentieth of the time at most.
    if (performance.now() - weighedMs < Math.max(500, 20 * tookMs)) continue;
    const from = performance.now();
    if (weigh(Buffer.from(base), allowed) > allowed) pass("disk");
    weighedMs = performance.now();
    tookMs = weighedMs - from;
  }
};
const follow = async ({ id, offset, headBytes, tailBytes, isFollowed, copy }) => {
  const folder = folderOf(id);
  let isStarted = false, sent = offset, isLast = false;
  const output = () => look(folder + "/output")?.size ?? 0;
  const send = async (upTo) => {
    if (upTo <= sent) return;
    const file = fs.openSync(folder + "/output", "r");
    try {
      while (sent < upTo) {
        const part = Buffer.alloc(Math.min(65536, upTo - sent));
        const count = fs.readSync(file, part, 0, part.length, sent);
        if (count === 0) return;
        await frame(kinds.output, { content: part.subarray(0, count) });
        sent += count;
      }
    } finally { fs.closeSync(file); }
  };
  const skip = async (to) => {
    if (to <= sent) return;
    await frame(kinds.skipped, { content: Buffer.from(String(to - sent)) });
    sent = to;
  };
  for (;;) {
    const text = readText(folder + "/end");
    isLast = text !== null;
    if (!isStarted && (isLast || look(folder + "/pid") !== null)) { isStarted = true; await frame(kinds.started); }
    const size = output();
    // The beginning, what follows where somebody follows it, and the end: the middle is cut here, and not sent.
    await send(Math.min(size, headBytes));
    if (isFollowed && !isLast) { await skip(size - 16 * 65536); await send(size); }
    if (isLast) {
      await skip(size - tailBytes);
      await send(size);
      const copied = copy === null ? null : await changesSince(copy);
      return await answer({ ok: true, end: JSON.parse(text), copied });
    }
    const supervisor = Number(readText(folder + "/supervisor") ?? 0);
    if (supervisor > 0 && !isAlive(supervisor) && readText(folder + "/end") === null) return await answer({ ok: false, why: "lost" });
    await sleep(LOOK_MS / 2);
  }
};
const execute = async (command) => {
  const folder = folderOf(command.id);
  const input = await take(command.inputBytes);
  for (const id of command.forgets) remove(folderOf(id));
  if (look(folder + "/supervisor") === null) {
    fs.mkdirSync(folder, { recursive: true });
    // Whoever is first starts it.
    let isOurs = true;
    try { fs.mkdirSync(folder + "/begun"); } catch { isOurs = false; }
    if (isOurs) {
      const child = spawn(process.execPath, ["-e", loader], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin.on("error", () => {});
      const text = Buffer.from(program);
      const head = JSON.stringify({ ...command, call: "supervise" });
      child.stdin.end(Buffer.concat([Buffer.from(text.length + "\n"), text, Buffer.from(head + "\n"), input]));
      child.unref();
      writeText(folder + "/supervisor", String(child.pid));
    }
  }
  await follow(command);
};
const stop = async ({ id }) => {
  const folder = folderOf(id);
  if (look(folder + "/supervisor") !== null) fs.writeFileSync(folder + "/stop", "");
  for (let waited = 0; waited < 5000 && look(folder + "/supervisor") !== null && look(folder + "/end") === null; waited += LOOK_MS) await sleep(LOOK_MS);
  endAll(id);
  await answer({ ok: true });
};
`,podFiles=String.raw`
// Files: of the tree, or of another folder. One call is about one of them.
let root = tree, passedOver = new Set();
const beAbout = ({ folder, passedOver: names = [] }) => { root = base + "/" + folder; passedOver = new Set(names); };
const at = (path) => Buffer.from(path === "" ? root : root + "/" + path, "latin1");
const stampOf = (about) => {
  const kind = about.isDirectory() ? "d" : about.isSymbolicLink() ? "l" : about.isFile() ? "f" : "o";
  const mode = about.mode & 0o777;
  return kind === "d" ? kind + mode : [kind + mode, about.size, about.mtimeMs, about.ctimeMs, about.ino].join(" ");
};
const snapshotPath = (number) => own + "/snapshot" + root.slice(base.length).replace("/", "-") + "-" + number + ".json";
const readSnapshot = (number) => new Map(JSON.parse(fs.readFileSync(snapshotPath(number), "utf8")));
const keepSnapshot = (number, stamps) => {
  writeText(snapshotPath(number), JSON.stringify([...stamps]));
  remove(snapshotPath(number - 2));
};
const isGit = (name) => /^\.git$/i.test(name);
const walk = (folder, isLeftOut, found) => {
  let entries = [];
  try { entries = fs.readdirSync(at(folder), { withFileTypes: true, encoding: "latin1" }); } catch {}
  for (const entry of entries) {
    if (isGit(entry.name) || passedOver.has(entry.name)) continue;
    const path = folder === "" ? entry.name : folder + "/" + entry.name;
    if (isLeftOut.has(path)) continue;
    const about = look(at(path));
    if (about === null) continue;
    found.set(path, about);
    if (about.isDirectory()) walk(path, isLeftOut, found);
  }
  return found;
};
// What git ignores stays here.
const ignored = () => new Promise((resolve) => {
  if (root !== tree || look(tree + "/.git") === null) return resolve(new Set());
  const args = ["-C", tree, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"];
  execFile("git", args, { encoding: "latin1", maxBuffer: 67108864, timeout: 20000, killSignal: "SIGKILL" }, (fault, out) =>
    resolve(new Set(fault ? [] : out.split("\0").filter((path) => path !== "").map((path) => path.replace(/\/$/, "")))));
});
const put = async ({ isWhole, from, to, ...about }) => {
  beAbout(about);
  fs.mkdirSync(own, { recursive: true });
  if (isWhole) {
    removeHard(at(""));
    fs.mkdirSync(root);
  }
  const stamps = isWhole ? new Map() : readSnapshot(from);
  const sound = new Set([""]);
  const ready = (path) => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (sound.has(above)) return;
    ready(above);
    const about = look(at(above));
    if (about !== null && !about.isDirectory()) fs.rmSync(at(above));
    if (about === null || !about.isDirectory()) fs.mkdirSync(at(above));
    sound.add(above);
  };
  const changed = new Set();
  let last = "";
  for (;;) {
    const header = await take(HEADER);
    const kind = header.readUInt8(0), mode = header.readUInt16BE(1);
    const path = (await take(header.readUInt32BE(3))).toString("latin1");
    const content = await take(header.readDoubleBE(7));
    if (kind === kinds.end) break;
    if (kind === kinds.more) { fs.appendFileSync(at(last), content); continue; }
    // What is gone with a folder above it is not looked for behind a link.
    if (kind === kinds.removed && ![...ups(path)].every((up) => look(at(up))?.isDirectory())) continue;
    if (kind !== kinds.removed) ready(path);
    const about = look(at(path));
    const isFolder = about !== null && about.isDirectory();
    if (about !== null && (kind !== kinds.folder || !isFolder)) fs.rmSync(at(path), { recursive: true, force: true });
    if (about !== null && kind !== kinds.folder) for (const known of sound) if (known === path || known.startsWith(path + "/")) sound.delete(known);
    if (kind === kinds.file) { fs.writeFileSync(at(path), content, { mode: mode | 0o200 }); fs.chmodSync(at(path), mode | 0o200); last = path; }
    if (kind === kinds.folder) { if (!isFolder) fs.mkdirSync(at(path)); fs.chmodSync(at(path), mode | 0o700); }
    if (kind === kinds.link) fs.symlinkSync(content, at(path));
    if (kind === kinds.removed) for (const known of [...stamps.keys()]) if (known === path || known.startsWith(path + "/")) stamps.delete(known);
    if (kind !== kinds.removed) changed.add(path);
  }
  for (const path of changed) {
    const about = look(at(path));
    if (about !== null && !path.split("/").some(isGit)) stamps.set(path, stampOf(about));
  }
  // What the service found as a folder above something it named.
  for (const path of changed) for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    const about = look(at(above));
    if (about !== null && !stamps.has(above) && !above.split("/").some(isGit)) stamps.set(above, stampOf(about));
  }
  if (isWhole && root === tree && look(tree + "/.git") !== null) await run("chmod", ["-R", "a-w", tree + "/.git"]);
  keepSnapshot(to, stamps);
  await answer({ ok: true });
};
const run = (program, args) => new Promise((resolve) => execFile(program, args, () => resolve()));
const get = async (copy) => await answer(await changesSince(copy));
const changesSince = async ({ from, to, maxBytes, maxEntries, ...about }) => {
  beAbout(about);
  const before = readSnapshot(from);
  const leftOut = await ignored();
  const now = walk("", leftOut, new Map());
  const stamps = new Map();
  let bytes = 0, entries = 0;
  const tooMuch = () => bytes > maxBytes || entries > maxEntries;
  for (const path of before.keys()) if (!now.has(path) && !leftOut.has(path) && ![...ups(path)].some((up) => leftOut.has(up))) {
    if ([...ups(path)].some((up) => before.has(up) && !now.has(up))) continue;
    entries += 1;
    await frame(kinds.removed, { path });
  } else if (!now.has(path)) stamps.set(path, before.get(path));
  for (const [path, about] of now) {
    const stamp = stampOf(about);
    stamps.set(path, stamp);
    if (before.get(path) === stamp) continue;
    entries += 1;
    if (tooMuch()) return { ok: false, why: "disk" };
    const mode = about.mode & 0o777;
    try {
      if (about.isSymbolicLink()) await frame(kinds.link, { path, content: fs.readlinkSync(at(path), "buffer") });
      else if (about.isDirectory()) await frame(kinds.folder, { path, mode });
      else if (about.isFile()) {
        const file = fs.openSync(at(path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
        try {
          for (let isFirst = true; ; isFirst = false) {
            const part = Buffer.alloc(CHUNK);
            const count = fs.readSync(file, part, 0, CHUNK, null);
            if (count === 0 && !isFirst) break;
            bytes += count;
            if (tooMuch()) return { ok: false, why: "disk" };
            await frame(isFirst ? kinds.file : kinds.more, { path: isFirst ? path : "", mode, content: part.subarray(0, count) });
            if (count < CHUNK) break;
          }
        } finally { fs.closeSync(file); }
      }
    } catch { stamps.delete(path); }
  }
  keepSnapshot(to, stamps);
  return { ok: true };
};
// Paths that git ignores, with all that is below them.
const tellIgnored = async () => {
  beAbout({ folder: "tree" });
  for (const path of await ignored()) {
    const found = new Map([[path, look(at(path))]]);
    if (found.get(path)?.isDirectory() === true) walk(path, new Set(), found);
    for (const below of found.keys()) await frame(kinds.file, { path: below });
  }
  await answer({ ok: true });
};
// Behind no link. What stays though it is removed is told.
const removeAll = async ({ paths }) => {
  beAbout({ folder: "tree" });
  for (const path of paths) {
    if (![...ups(path)].every((up) => look(at(up))?.isDirectory() === true)) continue;
    try {
      fs.chmodSync(at(path.slice(0, Math.max(0, path.lastIndexOf("/")))), 0o700);
      removeHard(at(path));
    } catch {}
  }
  await answer({ ok: paths.every((path) => look(at(path)) === null) });
};
// Folders that were made read-only, too.
const removeHard = (path) => {
  const about = look(path);
  if (about === null) return;
  if (!about.isDirectory()) return fs.unlinkSync(path);
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path, { encoding: "latin1" })) removeHard(Buffer.concat([path, Buffer.from("/" + name, "latin1")]));
  fs.rmdirSync(path);
};
const ups = function* (path) { for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) yield path.slice(0, end); };
`,podPacks=String.raw`
// Packs.
const zlib = require("node:zlib");
const MAX_TOPS = 20000;
const aboutPlace = () => answer({ ok: true, facts: [process.platform, process.arch] });
const pack = async ({ maxBytes, maxRawBytes, maxEntries }) => {
  beAbout({ folder: "tree" });
  // Of a folder that git ignores it may list files, too.
  const hidden = await ignored();
  const tops = [...hidden].filter((path) => !path.split("/").some(isGit) && ![...ups(path)].some((up) => hidden.has(up)));
  if (tops.length > MAX_TOPS) return await answer({ ok: false });
  const gzip = zlib.createGzip({ level: 1 });
  let raw = 0, entries = 0, sent = 0, isOverfull = false;
  const sending = (async () => {
    for await (const chunk of gzip) {
      sent += chunk.length;
      if (sent > maxBytes) isOverfull = true;
      if (!isOverfull) await frame(kinds.data, { content: chunk });
    }
  })();
  const write = (bytes) => gzip.write(bytes) ? undefined : new Promise((resolve) => gzip.once("drain", resolve));
  const record = (about) => write(Buffer.from(JSON.stringify(about) + "\n"));
  const add = async (from, path) => {
    const about = look(from);
    if (about === null || isOverfull) return;
    entries += 1;
    const common = { path, mode: about.mode & 0o777, time: about.mtimeMs };
    if (about.isSymbolicLink()) return await record({ ...common, kind: "link", to: fs.readlinkSync(from, "latin1") });
    if (about.isDirectory()) {
      await record({ ...common, kind: "folder" });
      for (const name of fs.readdirSync(from, { encoding: "latin1" })) await add(Buffer.concat([from, Buffer.from("/" + name, "latin1")]), path + "/" + name);
      return;
    }
    if (!about.isFile()) return;
    raw += about.size;
    if (raw > maxRawBytes || entries > maxEntries) { isOverfull = true; return; }
    await record({ ...common, kind: "file", bytes: about.size });
    const file = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      for (let left = about.size; left > 0; ) {
        const part = Buffer.alloc(Math.min(CHUNK, left));
        const count = fs.readSync(file, part, 0, part.length, null);
        if (count === 0) throw new Error("A file has become smaller while it was packed.");
        await write(part.subarray(0, count));
        left -= count;
      }
    } finally { fs.closeSync(file); }
  };
  await record({ kind: "tops", tops });
  if (look(base + "/home") !== null) await add(Buffer.from(base + "/home"), "home");
  for (const path of tops) await add(at(path), "tree/" + path);
  await record({ kind: "end" });
  gzip.end();
  await sending;
  await answer({ ok: !isOverfull });
};
const unpack = async ({ packBytes, maxRawBytes, maxEntries }) => {
  const done = own + "/unpacked", staged = own + "/staged";
  beAbout({ folder: "tree" });
  if (look(done) !== null) return await answer({ ok: true });
  removeHard(Buffer.from(staged));
  fs.mkdirSync(staged);
  const gunzip = zlib.createGunzip();
  gunzip.on("error", () => {});
  (async () => {
    for (let left = packBytes; left > 0; ) {
      const part = await take(Math.min(left, CHUNK));
      left -= part.length;
      if (!gunzip.write(part)) await new Promise((resolve) => { gunzip.once("drain", resolve); gunzip.once("close", resolve); });
    }
    gunzip.end();
  })().catch((cause) => gunzip.destroy(cause));
  const chunks = gunzip[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const more = async () => {
    const next = await chunks.next();
    if (next.done) throw new Error("The pack has no end.");
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
  };
  const record = async () => {
    for (;;) {
      const end = rest.indexOf(10);
      if (end >= 0) { const line = rest.subarray(0, end).toString(); rest = rest.subarray(end + 1); return JSON.parse(line); }
      await more();
    }
  };
  const folders = [];
  let raw = 0, entries = 0, tops = [];
  const placeOf = (path) => {
    const parts = path.split("/");
    if (parts.some((part) => part === "" || part === "." || part === "..")) throw new Error("The pack has a path that leads out.");
    let place = Buffer.from(staged);
    for (const [index, part] of parts.entries()) {
      place = Buffer.concat([place, Buffer.from("/" + part, "latin1")]);
      if (index + 1 === parts.length) break;
      const about = look(place);
      if (about === null) fs.mkdirSync(place);
      else if (!about.isDirectory()) throw new Error("The pack has a path behind a link.");
    }
    return place;
  };
  try {
    for (let about = await record(); about.kind !== "end"; about = await record()) {
      if (about.kind === "tops") { tops = about.tops; continue; }
      const { kind, path, mode, time, bytes = 0 } = about;
      raw += bytes;
      entries += 1;
      if (raw > maxRawBytes || entries > maxEntries) throw new Error("The pack is too large.");
      const place = placeOf(path);
      if (kind === "link") fs.symlinkSync(Buffer.from(about.to, "latin1"), place);
      else if (kind === "folder") { if (look(place) === null) fs.mkdirSync(place); folders.push({ place, mode, time }); }
      else {
        const file = fs.openSync(place, "wx", 0o600);
        try {
          for (let left = bytes; left > 0; ) {
            if (rest.length === 0) await more();
            const part = rest.subarray(0, Math.min(rest.length, left));
            fs.writeSync(file, part);
            rest = rest.subarray(part.length);
            left -= part.length;
          }
          fs.fchmodSync(file, (mode & 0o777) | 0o400);
          fs.futimesSync(file, time / 1000, time / 1000);
        } finally { fs.closeSync(file); }
      }
    }
    for (const { place, mode, time } of folders.reverse()) { fs.chmodSync(place, (mode & 0o777) | 0o700); fs.utimesSync(place, time / 1000, time / 1000); }
  } catch (cause) {
    if (isOver && cause && cause.message === "cut") throw cause;
    removeHard(Buffer.from(staged));
    return await answer({ ok: false, why: String(cause && cause.message) });
  }
  // From here on nothing waits. What was placed by a call that was cut is there.
  if (look(staged + "/home") !== null) { removeHard(Buffer.from(base + "/home")); fs.renameSync(staged + "/home", base + "/home"); }
  const placed = [];
  for (const path of tops) {
    const from = Buffer.from(staged + "/tree/" + path, "latin1");
    if (look(from) === null || path.split("/").some(isGit)) continue;
    const above = [...ups(path)].reverse();
    for (const up of above) if (look(at(up)) === null) fs.mkdirSync(at(up)); else if (!look(at(up)).isDirectory()) break;
    if (!above.every((up) => look(at(up))?.isDirectory() === true) || look(at(path)) !== null) continue;
    fs.renameSync(from, at(path));
    placed.push(path);
  }
  const hidden = await ignored();
  for (const path of placed) if (![path, ...ups(path)].some((one) => hidden.has(one))) removeHard(at(path));
  removeHard(Buffer.from(staged));
  writeText(done, "");
  await answer({ ok: true });
};
`,podProgram=String.raw`
"use strict";
const fs = require("node:fs");
const { spawn, execFile } = require("node:child_process");
const base = process.cwd();
const own = base + "/.agent-service";
const { env: inherited } = process;
const tree = base + "/tree";
const kinds = { end: 0, file: 1, more: 2, folder: 3, link: 4, removed: 5, output: 6, skipped: 7, started: 8, alive: 9, opened: 10, data: 11, ended: 12, closed: 13, complaint: 14, terminated: 15 };
const HEADER = 15, CHUNK = 1048576, LOOK_MS = 50;
const MARK = "AGENT_SERVICE_COMMAND";

// Input: a line of JSON, then bytes or frames.
let have = rest, isOver = false, wake = () => {};
process.stdin.on("data", (chunk) => { have = Buffer.concat([have, chunk]); if (have.length > 8 * CHUNK) process.stdin.pause(); wake(); });
process.stdin.on("end", () => { isOver = true; wake(); });
process.stdin.on("error", () => { isOver = true; wake(); });
const more = () => new Promise((resolve) => { wake = resolve; process.stdin.resume(); });
const take = async (count) => {
  while (have.length < count) { if (isOver) throw new Error("cut"); await more(); }
  const taken = have.subarray(0, count);
  have = have.subarray(count);
  return taken;
};
const line = async () => {
  for (;;) {
    const end = have.indexOf(10);
    if (end >= 0) return (await take(end + 1)).subarray(0, end).toString();
    if (isOver) throw new Error("cut");
    await more();
  }
};
process.stdout.on("error", () => process.exit(0));
const write = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve));
const frame = (kind, { mode = 0, path = "", content = Buffer.alloc(0) } = {}) => {
  const name = Buffer.from(path, "latin1");
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(kind, 0);
  header.writeUInt16BE(mode & 0xffff, 1);
  header.writeUInt32BE(name.length, 3);
  header.writeDoubleBE(content.length, 7);
  return write(Buffer.concat([header, name, content]));
};
const answer = (value) => frame(kinds.end, { content: Buffer.from(JSON.stringify(value)) });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const look = (path) => { try { return fs.lstatSync(path); } catch { return null; } };
const readText = (path) => { try { return fs.readFileSync(path, "utf8"); } catch { return null; } };
const writeText = (path, text) => { fs.writeFileSync(path + ".part", text); fs.renameSync(path + ".part", path); };
const remove = (path) => fs.rmSync(path, { recursive: true, force: true });

${podFiles}${podCommands}${`
// A program that is spoken to. "agentHome" is the folder that a coding agent has as its home, beside which nothing may configure it.
const goOn = async ({ id, argv, env, isTreeShown, agentHome, maxDiskBytes }) => {
  const home = base + "/" + (agentHome ?? "homes/" + id), empty = base + "/programs/" + id;
  const cwd = isTreeShown ? tree : empty;
  const known = new Set([agentHome, "tree", "home", "homes", "programs", ".agent-service"]);
  // Agents read instructions in the folders above theirs.
  if (agentHome !== null) for (const name of fs.readdirSync(base)) if (!known.has(name)) try { removeHard(Buffer.from(base + "/" + name)); } catch {}
  for (const folder of [home, cwd]) fs.mkdirSync(folder, { recursive: true });
  const before = { weight: Math.max(maxDiskBytes, weigh(Buffer.from(base), Infinity)), killed: oomKills() };
  const variables = { PATH: inherited.PATH || "/usr/local/bin:/usr/bin:/bin", TMPDIR: "/tmp", ...env, HOME: home, [MARK]: id };
  const child = spawn(argv[0], argv.slice(1), { cwd, env: variables, detached: true, stdio: "pipe" });
  const pass = (stream, kind) => stream.on("data", async (content) => {
    stream.pause();
    for (let from = 0; from < content.length; from += CHUNK) await frame(kind, { content: content.subarray(from, from + CHUNK) });
    stream.resume();
  });
  pass(child.stdout, kinds.output);
  pass(child.stderr, kinds.complaint);
  child.stdin.on("error", () => {});
  let limit;
  const ended = new Promise((resolve) => {
    child.on("error", (cause) => resolve({ fault: String(cause.code) }));
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  child.on("exit", (exitCode, signal) => {
    const allowed = Number(readText("/sys/fs/cgroup/memory.max"));
    if (signal === "SIGKILL" && oomKills() > before.killed && allowed > 0) limit ??= { limit: "memory", allowed };
    // What it started and let go of holds its pipes.
    endAll(id, child.pid);
  });
  await frame(kinds.started);
  const hear = async () => {
    for (;;) {
      const header = await take(HEADER);
      await take(header.readUInt32BE(3));
      const content = await take(header.readDoubleBE(7));
      const kind = header.readUInt8(0);
      if (kind === kinds.closed) return;
      if (kind === kinds.ended) child.stdin.end();
      if (kind === kinds.terminated && child.pid !== undefined) try { process.kill(-child.pid, "SIGTERM"); } catch {}
      if (kind === kinds.data && !child.stdin.write(content))
        await new Promise((resolve) => { child.stdin.once("drain", resolve); child.stdin.once("close", resolve); });
    }
  };
  // Weighing takes a twentieth of the time at most.
  const weighAgain = async () => {
    for (let tookMs = 0; ; ) {
      await sleep(Math.max(500, 20 * tookMs));
      const from = performance.now();
      if (weigh(Buffer.from(base), before.weight) > before.weight) { limit ??= { limit: "disk", allowed: before.weight }; endAll(id, child.pid); }
      tookMs = performance.now() - from;
    }
  };
  weighAgain();
  // A call that is cut ends it, too: nobody can speak to it any more.
  const how = await Promise.race([ended, hear().catch(() => {}).then(() => null)]);
  endAll(id, child.pid);
  const end = how ?? await ended;
  if (agentHome === null) remove(home);
  remove(empty);
  await answer({ ok: true, end: { ...end, ...limit } });
};
`}${podPacks}// Connections to a port here, as frames. What was there before may still be ending.
const relay = async ({ port }) => {
  const { createServer } = require("node:net");
  const clients = new Map();
  let made = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    made += 1;
    const path = String(made);
    clients.set(path, client);
    frame(kinds.opened, { path });
    client.on("data", async (content) => {
      client.pause();
      for (let from = 0; from < content.length; from += CHUNK) await frame(kinds.data, { path, content: content.subarray(from, from + CHUNK) });
      client.resume();
    });
    client.on("end", () => frame(kinds.ended, { path }));
    client.on("error", () => {});
    client.on("close", () => { clients.delete(path); frame(kinds.closed, { path }); });
  });
  const listen = () => new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  for (let tries = 0; !(await listen()); tries += 1) {
    if (tries > 100) return await answer({ ok: false });
    await sleep(LOOK_MS);
  }
  await frame(kinds.started);
  for (;;) {
    const header = await take(HEADER);
    const path = (await take(header.readUInt32BE(3))).toString("latin1");
    const content = await take(header.readDoubleBE(7));
    const client = clients.get(path);
    if (client === undefined) continue;
    const kind = header.readUInt8(0);
    if (kind === kinds.ended) client.end();
    if (kind === kinds.closed) client.destroy();
    if (kind === kinds.data && !client.write(content))
      await new Promise((resolve) => { client.once("drain", resolve); client.once("close", resolve); });
  }
};
(async () => {
  const asked = JSON.parse(await line());
  if (asked.call !== "supervise") setInterval(() => frame(kinds.alive), asked.aliveMs).unref();
  await { put, get, execute, supervise, stop, relay, program: goOn, ignored: tellIgnored, remove: removeAll, place: aboutPlace, pack, unpack }[asked.call](asked);
  if (asked.call !== "supervise") process.exit(0);
})().catch((cause) => {
  process.stderr.write(String(cause && cause.message) + "\n", () => process.exit(cause && cause.message === "cut" ? 3 : 1));
});
`,MAX_DELAY_MS=3e3,refusing=new Set([0,403]),COMMAND=[`node`,`-e`,`const i=process.stdin;let b=Buffer.alloc(0);i.on("readable",function f(){for(let c;(c=i.read())!==null;){b=Buffer.concat([b,c]);const n=b.indexOf(10);if(n<0)continue;const e=n+1+Number(b.subarray(0,n));if(b.length<e)continue;i.off("readable",f);const p=b.subarray(n+1,e).toString();const r=b.subarray(e);return new Function("require","loader","program","rest",p)(require,process.execArgv[1],p,r)}});`];var PodLostError=class extends Error{name=`PodLostError`};async function callPod(place,call){let{clock,awayMs}=place,failingSince=null,delayMs=100;for(;;){call.signal.throwIfAborted();let triedAt=clock.monotonic();try{return await callOnce(place,call)}catch(cause){if(call.signal.throwIfAborted(),!isOfConnection(cause))throw cause;if(cause instanceof ClusterError&&refusing.has(cause.status))throw new NoPodError(`Commands cannot be executed in pods. ${cause.message} The service account needs "get" and "create" of pods/exec. Tell the operator of this service.`,{cause});(failingSince===null||clock.monotonic()-triedAt>MAX_DELAY_MS)&&(failingSince=clock.monotonic());let state=await stateOf(place,call.signal);if(state!==null&&!state.isThere)throw new PodLostError(`The pod ${place.pod.pod} is gone: ${state.why}.`,{cause});if(clock.monotonic()-failingSince>awayMs)throw new PodLostError(`The pod ${place.pod.pod} cannot be reached. ${messageOf(cause)}`,{cause})}await clock.sleep(delayMs,call.signal),delayMs=Math.min(MAX_DELAY_MS,delayMs*2)}}async function stateOf(place,signal){return await podState(place,place.pod,signal).catch(cause=>{if(signal.throwIfAborted(),cause instanceof ClusterError)return null;throw cause})}function isOfConnection(cause){return cause instanceof ClusterError||cause instanceof CutError}var CutError=class extends Error{name=`CutError`};async function callOnce({client,namespace,pod,pingMs},call){let reader=new FrameReader,answer=null;call.begin?.();let end=await execInPod({client,namespace,pod:pod.pod,command:COMMAND,input:inputOf(call,pingMs),pingMs,signal:call.signal,onOutput:async bytes=>{for(let frame of reader.push(bytes))frame.kind===frameKinds.end?answer=parseObject(frame.content.toString(`utf8`)):frame.kind!==frameKinds.alive&&await call.take?.(frame)}});if(answer!==null)return answer;if(end.exitCode===3)throw new CutError(`The call was cut.`);let said=end.complaint.trim()===``?`it gave no reason`:end.complaint.trim();throw new PodLostError(`The program in the pod ended with exit code ${end.exitCode}: ${said}`)}async function*inputOf(call,pingMs){let program=Buffer.from(podProgram);yield Buffer.concat([Buffer.from(`${program.length}\n`),program,Buffer.from(`${JSON.stringify({...call.header(),aliveMs:pingMs/2})}\n`)]),call.body!==void 0&&(yield*call.body())}async function*framed(frames){let held=[],bytes=0;for await(let frame of frames)held.push(frame),bytes+=frame.length,bytes<65536||(yield Buffer.concat(held),held=[],bytes=0);held.push(encodeFrame({kind:frameKinds.end})),yield Buffer.concat(held)}function messageOf(cause){return cause instanceof Error?cause.message:``}var PodCopy=class{#parts;#number=0;constructor(parts){this.#parts=parts}get isThere(){return this.#number>0}async give(place,signal){let{tree,name,maxBytes}=this.#parts,isWhole=!this.isThere,changes=isWhole?await tree.whole():await tree.changes();if(changes.isEmpty&&!isWhole)return;if(changes.bytes>maxBytes)throw new SandboxError(`sandbox_not_started`,`The checkout is larger than SANDBOX_DISK_MB.`);let header={call:`put`,folder:name,isWhole,from:this.#number,to:this.#number+1};await callPod(place,{header:()=>header,body:()=>framed(changes.frames()),signal}),changes.keep(),this.#number+=1}async takeBack(place,signal){let taking=this.taking(),{begin,take}=taking,header={call:`get`,...taking.copy};return await taking.end(await callPod(place,{header:()=>header,begin,take,signal}))}taking(){let{tree,name,passedOver,maxBytes}=this.#parts,copy={folder:name,passedOver,from:this.#number,to:this.#number+1,maxBytes,maxEntries:5e5},room=2*Math.max(maxBytes,tree.givenBytes)-tree.bytes,received=tree.receive(),bytes=0,entries=0;return{copy,begin:()=>{received=tree.receive(),bytes=0,entries=0},take:async frame=>{if(bytes+=frame.content.length,entries+=frame.kind===frameKinds.more?0:1,bytes>Math.min(maxBytes,room)||entries>copy.maxEntries)throw new FrameError(`The pod answers with more than it may hold.`);await received.take(frame)},end:async answer=>(await received.keep(),answer.ok===!0&&(this.#number+=1,!0))}}};const AGENT_HOME=`agent-home`,rules=new PathRules;function homeCopy({home,homeRules}){let{passedOver,isLeftOut,maxBytes}=homeRules;return new PodCopy({tree:new LocalTree({root:home,gitFolder:null,hasGit:!1,isLeftOut}),name:AGENT_HOME,passedOver:[...passedOver],maxBytes})}async function hideInPod(place,signal){let found=new Set,told=0;if(await callPod(place,{header:()=>({call:`ignored`}),begin:()=>{found=new Set,told=0},take:({path})=>{if(told+=1,told>2e6)throw new FrameError(`The pod names more files than it may hold.`);let hidden=rules.placeOf(path,`agent`);hidden!==null&&found.add(hidden)},signal}),found.size!==0&&(await callPod(place,{header:()=>({call:`remove`,paths:[...found]}),signal})).ok!==!0)throw new SandboxError(`sandbox_not_started`,`What setup made in the pod to configure agents cannot be removed.`)}function startedAgent(program,{files}){let{input,output,complaints,ended}=program,closed=new AbortController;return ended.then(()=>closed.abort()),{input,output,complaints,exited:ended.then(exitOf),closed:closed.signal,signal:name=>{name===`SIGTERM`?program.terminate():program.end()},watch:async signal=>{let end=await Promise.race([ended,aborted(signal)]);return end===null?null:limitOf(end)},files}}async function aborted(signal){return signal.aborted?null:await new Promise(resolve=>signal.addEventListener(`abort`,()=>resolve(null),{once:!0}))}function exitOf(end){switch(end.type){case`exited`:return{type:`exited`,exitCode:end.exitCode,signal:end.signal};case`not_started`:return{type:`not_started`,code:`${end.code} in the pod`};case`ended`:return{type:`exited`,exitCode:null,signal:`SIGKILL`};case`failed`:case`cut`:return{type:`cut`}}}function limitOf(end){if(end.type!==`exited`||end.limit===null)return null;let{limit,allowedBytes}=end.limit,setting=limit===`disk`?`SANDBOX_DISK_MB`:`the memory limit of the pods' template`;return{limit,allowed:Math.round(allowedBytes/1048576),setting}}function podArchive({place,facts,maxRawBytes,inTurn}){let bounds={maxRawBytes,maxEntries:1e6};return{facts,pack:async(to,{maxBytes,signal})=>{let bytes=0,header={call:`pack`,maxBytes,...bounds};return(await inTurn(signal,()=>callPod(place,{header:()=>header,begin:()=>{bytes=0,to.begin()},take:async({kind,content})=>{if(bytes+=content.length,bytes>maxBytes)throw new FrameError(`The pod answers with more than was asked for.`);kind===frameKinds.data&&await to.take(content)},signal}))).ok===!0},unpack:async({bytes:packBytes,read},signal)=>{let header={call:`unpack`,packBytes,...bounds};return(await inTurn(signal,()=>callPod(place,{header:()=>header,body:read,signal}))).ok===!0}}}async function placeFacts(place,signal){let{facts}=await callPod(place,{header:()=>({call:`place`}),signal});return(Array.isArray(facts)?facts:[]).filter(one=>typeof one==`string`)}const limits=new Set([`time`,`output`,`memory`,`disk`]);function variablesOf({network,passed,added,proxy,identity}){let{PATH,HOME,TMPDIR,...rest}=scrubbedEnvironment({path:``,home:``,temporary:``,passed:{...network===`off`&&proxy===null?offlineVariables:{},...passed},added,proxy:proxy??{},identity}),isAsked=name=>name in passed||name in added;return Object.fromEntries([...Object.entries(rest),...Object.entries({PATH,HOME,TMPDIR}).filter(([name])=>isAsked(name))])}function endOf$1(end,output){let{exitCode,signal,limit,durationMs}=end,isCode=exitCode===null||Number.isInteger(exitCode)&&typeof exitCode==`number`,isSignal=signal===null||typeof signal==`string`&&/^SIG[A-Z0-9]{2,10}$/.test(signal);if(!isCode||!isSignal||typeof durationMs!=`number`)throw new FrameError(`The pod tells of no end of the command.`);let passed=limits.has(limit)?limit:void 0;return{exitCode:passed===void 0?exitCode:null,signal:passed===void 0?signal:`SIGKILL`,output:output.text(),truncated:output.truncated,timedOut:passed===`time`,durationMs,...passed===void 0?{}:{limit:passed}}}__name(endOf$1,`endOf`);const passedLimits=[`memory`,`disk`];var CutProgramError=class extends Error{};function startInPod(place,parts){let{header,onLost,clean}=parts,toPod=new PassThrough,output=new PassThrough,complaints=new PassThrough,stop=new AbortController,calls=0,isEnding=!1,send=(kind,content)=>toPod.writableEnded||toPod.write(encodeFrame({kind,...content===void 0?{}:{content}})),input=new Writable({write:(bytes,_,done)=>{let hasRoom=!0;for(let at=0;at<bytes.length;at+=MAX_CONTENT_BYTES)hasRoom=send(frameKinds.data,bytes.subarray(at,at+MAX_CONTENT_BYTES));hasRoom?done():toPod.once(`drain`,done)},final:done=>{send(frameKinds.ended),done()}});input.on(`error`,()=>{});let take=async({kind,content})=>{let stream=kind===frameKinds.output?output:kind===frameKinds.complaint?complaints:null;stream===null||stream.destroyed||stream.write(content)||await Promise.race([once(stream,`drain`),once(stream,`close`)]).catch(()=>{})},begin=()=>{if(calls+=1,calls>1)throw new CutProgramError(`the connection to its pod was cut`)},settle=async()=>{let end=await callPod(place,{header:()=>({call:`program`,...header}),begin,body:()=>toPod,take,signal:stop.signal}).then(({end:told})=>endOf(isObject(told)?told:{}),failureOf);end.type===`failed`&&!isEnding&&isLoss(end.cause)&&onLost(end.cause),toPod.end(),input.destroy();for(let stream of[output,complaints])stream.end();return await clean(),isEnding?{type:`ended`}:end},ended=settle();return{input,output,complaints,ended,terminate:()=>void send(frameKinds.terminated),end:async()=>{isEnding=!0,send(frameKinds.closed);let late=setTimeout(()=>stop.abort(Error(`it did not end`)),1e4);await ended,clearTimeout(late)}}}function runningProgram({input,output,complaints,ended,end}){let said=``;return complaints.on(`data`,chunk=>{said=(said+chunk.toString(`utf8`)).slice(-8192)}),{input,output,lastComplaint:()=>lastComplaint(said),ended:ended.then(howOf),end}}function isLoss(cause){return cause instanceof PodLostError||cause instanceof FrameError}function failureOf(cause){return cause instanceof CutProgramError?{type:`cut`}:{type:`failed`,cause}}function endOf({exitCode,signal,fault,limit,allowed}){if(typeof fault==`string`)return{type:`not_started`,code:fault};let passed=passedLimits.find(one=>one===limit);return{type:`exited`,exitCode:typeof exitCode==`number`?exitCode:null,signal:typeof signal==`string`?signal:null,limit:passed===void 0?null:{limit:passed,allowedBytes:typeof allowed==`number`?allowed:0}}}function howOf(end){switch(end.type){case`exited`:return end.limit===null?end.exitCode===null?`it was ended by ${String(end.signal)}`:`it ended with exit code ${end.exitCode}`:`it was ended at its limit of ${end.limit.limit}`;case`not_started`:return end.code===`ENOENT`?`it was not found in the pod`:`it did not start (${end.code})`;case`cut`:return`the connection to its pod was cut`;case`ended`:return`it was ended`;case`failed`:return end.cause instanceof Error?end.cause.message:`it could not be started`}}const MAX_WAITING_BYTES=1048576;var PodRelay=class{socket;isReady;#ended;#isOver=!1;#stopping=new AbortController;#open=new Map;#waiting=[];#waitingBytes=0;#wake=()=>{};#call=0;constructor(place,{socket,port}){this.socket=socket;let ready=Promise.withResolvers();this.isReady=ready.promise,this.isReady.catch(()=>{}),this.#ended=callPod(place,{header:()=>({call:`relay`,port}),begin:()=>this.#begin(),body:()=>this.#frames(this.#call),take:frame=>frame.kind===frameKinds.started?ready.resolve():this.#take(frame),signal:this.#stopping.signal}).then(()=>ready.reject(Error(`Nothing could listen at the proxy's port in the pod.`)),cause=>ready.reject(cause)).finally(()=>{this.#isOver=!0})}get isOver(){return this.#isOver}async stop(){this.#stopping.abort(Error(`The relay is not needed any more.`)),this.#begin(),await this.#ended}#begin(){this.#call+=1;for(let socket of this.#open.values())socket.destroy();this.#open.clear(),this.#waiting=[],this.#waitingBytes=0,this.#wake()}async*#frames(call){for(;call===this.#call;){let frames=this.#waiting.splice(0);if(frames.length>0&&(yield Buffer.concat(frames)),call!==this.#call)return;if(this.#waitingBytes=this.#waiting.reduce((sum,{length})=>sum+length,0),this.#waitingBytes<=MAX_WAITING_BYTES)for(let socket of this.#open.values())socket.resume();this.#waiting.length===0&&await new Promise(resolve=>{this.#wake=resolve})}}#send(call,kind,path,content){if(call!==this.#call)return;let frame=encodeFrame({kind,path,...content===void 0?{}:{content}});this.#waiting.push(frame),this.#waitingBytes+=frame.length,this.#wake()}async#take({kind,path:name,content}){if(kind===frameKinds.opened)return this.#connect(name);let socket=this.#open.get(name);socket!==void 0&&(kind===frameKinds.ended?socket.end():kind===frameKinds.closed?socket.destroy():kind===frameKinds.data&&!socket.write(content)&&await Promise.race([once(socket,`drain`),once(socket,`close`)]).catch(()=>{}))}#connect(name){let call=this.#call,socket=connect({path:this.socket,allowHalfOpen:!0});this.#open.set(name,socket),socket.on(`data`,chunk=>{for(let at=0;at<chunk.length;at+=MAX_CONTENT_BYTES)this.#send(call,frameKinds.data,name,chunk.subarray(at,at+MAX_CONTENT_BYTES));this.#waitingBytes>MAX_WAITING_BYTES&&socket.pause()}),socket.on(`end`,()=>this.#send(call,frameKinds.ended,name)),socket.on(`error`,()=>{}),socket.on(`close`,()=>{call===this.#call&&this.#open.delete(name),this.#send(call,frameKinds.closed,name)})}},PodRelays=class{#network;#relays=new Map;constructor({network}){this.#network=network}async proxyOf(place,{egressSocket,signal}){return egressSocket===null||this.#network===`allowed`?null:(await this.open(place,{socket:egressSocket,port:EGRESS_PORT,signal}),proxyVariables())}async identityOf(place,{identity,signal}){let way=await identityWay(identity,{loopback:`own`});return way===null||way.socket===null?{}:(await this.open(place,{socket:way.socket,port:way.port,signal}),identityVariables(way))}async open(place,{signal,...way}){let relay=this.#relays.get(way.port);if(relay?.socket!==way.socket||relay.isOver){let before=relay;relay=new PodRelay(place,way),this.#relays.set(way.port,relay),await before?.stop()}await orAborted(relay.isReady,signal)}async stop(){await Promise.all([...this.#relays.values()].map(relay=>relay.stop()))}};function orAborted(wait,signal){return new Promise((resolve,reject)=>{let abort=()=>reject(signal.reason);if(signal.aborted)return abort();signal.addEventListener(`abort`,abort,{once:!0}),wait.then(resolve,reject).finally(()=>signal.removeEventListener(`abort`,abort))})}var RunPod=class{#parts;#place;#tree;#turn=Promise.resolve();#opened=null;#lost=null;#isClosed=!1;#closing=new AbortController;#commands=0;#running=0;#relays;#ended=[];#cut=[];constructor(parts,place){this.#parts=parts,this.#place=place,this.#relays=new PodRelays(parts.config);let{diskBytes:maxBytes}=parts.config.limits;this.#tree=new PodCopy({tree:new LocalTree(place.checkout),name:`tree`,passedOver:[],maxBytes})}async run({command,within,keepsHome}){let{signal}=command,work={command,within,keepsHome};this.#running+=1;try{if(this.#running===1&&command.beside?.isBackground!==!0)return await this.#inTurn(signal,async()=>await this.#execute(await this.#ready(signal),work,{isAlone:!0}));let place=await this.#inTurn(signal,()=>this.#ready(signal));return withinDisk(await this.#execute(place,work,{isAlone:!1}),await this.#inTurn(signal,()=>this.#tree.takeBack(place,signal)))}catch(cause){throw signal.aborted&&this.#opened!==null&&await this.#keepLast(this.#opened),signal.throwIfAborted(),!(cause instanceof PodLostError)&&!(cause instanceof FrameError)?cause:this.#lose(cause)}finally{--this.#running}}async start(program,{isTreeShown,clean}){let{argv,env:added}=program;try{return await this.#beside(async signal=>{let place=await this.#inTurn(signal,()=>isTreeShown?this.#ready(signal):this.#open(signal)),proxy=await this.#relays.proxyOf(place,{...program,signal}),env=variablesOf({...this.#parts.config,added,proxy,identity:{}}),wanted={argv,env,isTreeShown,agentHome:null};return runningProgram(this.#startProgram(place,wanted,clean))})}catch(cause){throw await clean(),cause}}async startAgent(start){let home=homeCopy(start);return await this.#beside(async closing=>{let signal=AbortSignal.any([start.signal,closing]),place=await this.#inTurn(signal,async()=>{let ready=await this.#ready(signal);return await this.#endCut(ready,signal),start.isWriters||await hideInPod(ready,signal),await home.give(ready,signal),ready}),{modelSocket,gateway}=start;modelSocket!==null&&await this.#relays.open(place,{socket:modelSocket,port:MODEL_PORT,signal});let tools=gateway?.socket??null;tools!==null&&await this.#relays.open(place,{socket:tools,port:GATEWAY_PORT,signal});let proxy=await this.#relays.proxyOf(place,{...start,signal}),identity=await this.#relays.identityOf(place,{...start,signal}),env={...start.environment,...proxy,...identity},wanted={argv:start.argv,env,isTreeShown:!0,agentHome:AGENT_HOME},program=this.#startProgram(place,wanted,async()=>{}),take=copy=>late=>this.#beside(()=>this.#inTurn(late,async()=>(await this.#endCut(place,late),await copy.takeBack(place,late))));return startedAgent(program,{files:{takeHome:take(home),takeTree:take(this.#tree)}})})}async archive(signal){return await this.#beside(async closing=>{let until=AbortSignal.any([signal,closing]),place=await this.#inTurn(until,()=>this.#ready(until)),[images,machine]=await Promise.all([podImages(place,place.pod,until),placeFacts(place,until)]);return podArchive({place,facts:[...images,...machine],maxRawBytes:this.#parts.config.limits.diskBytes,inTurn:(late,work)=>this.#beside(()=>this.#inTurn(late,work))})})}#startProgram(place,wanted,clean){this.#commands+=1;let id=`${place.pod.podUid}-${this.#commands}`,{diskBytes:maxDiskBytes}=this.#parts.config.limits,program=startInPod(place,{header:{...wanted,id,maxDiskBytes},onLost:cause=>this.#lose(cause),clean});return program.ended.then(({type})=>{type===`cut`&&this.#cut.push(id)}),program}async#beside(work){if(this.#lost!==null)throw this.#lose(this.#lost);try{return await work(this.#closing.signal)}catch(cause){throw!(cause instanceof PodLostError)&&!(cause instanceof FrameError)?cause:this.#lose(cause)}}async#endCut(place,signal){for(let id of[...this.#cut])await callPod(place,{header:()=>({call:`stop`,id}),signal}),this.#cut=this.#cut.filter(one=>one!==id)}async close(){if(this.#isClosed)return;this.#isClosed=!0,this.#closing.abort(Error(`The run has ended.`));let place=this.#opened;await this.#relays.stop(),place!==null&&await deleteClaim(place,place.pod)}#lose(cause){return this.#lost===null&&(this.#lost=new PodLostError(cause.message,{cause}),this.#parts.log.warn({claim:this.#place.name,err:cause},`the pod of a run is lost`),this.#place.onLost(cause.message),this.close()),new SandboxError(`sandbox_not_watched`,this.#lost.message,{cause})}async#inTurn(signal,work){let before=this.#turn,own=Promise.withResolvers();this.#turn=own.promise;try{return await orAborted(before,signal),await work()}finally{before.then(()=>own.resolve())}}async#ready(signal){if(this.#lost!==null)throw this.#lost;let place=await this.#open(signal);return await this.#tree.give(place,signal),place}async#open(signal){if(this.#opened!==null)return this.#opened;let{clock,awayMs,pingMs,runLimitMs}=this.#parts,claims=await this.#parts.claims(),endsAt=clock.now()+runLimitMs,pod=await claimPod(claims,{name:this.#place.name,endsAt,signal}),place={client:claims.client,namespace:claims.namespace,clock,pod,awayMs,pingMs};return this.#opened=place,this.#isClosed&&await deleteClaim(place,pod),place}async#execute(place,{command,within,keepsHome},{isAlone}){let{config,clock,awayMs}=this.#parts,{signal}=command,timeoutMs=Math.min(command.timeoutMs,command.longestMs??config.limits.timeoutMs);if(isAbsolute(within))throw TypeError(`A command's folder is relative.`);this.#commands+=1;let id=`${place.pod.podUid}-${this.#commands}`,output=new BoundedOutput(command.maxOutputBytes),input=Buffer.from(command.stdin??``),halfBytes=Math.ceil(command.maxOutputBytes/2),forgets=this.#ended.splice(0),proxy=await this.#relays.proxyOf(place,command),identity=await this.#relays.identityOf(place,command),taking=isAlone?this.#tree.taking():null,late=new AbortController,isStarted=!1,take=async frame=>{frame.kind===frameKinds.started&&!isStarted?(isStarted=!0,command.onStart?.()):frame.kind===frameKinds.output?(output.add(frame.content),command.onOutput?.(frame.content)):frame.kind===frameKinds.skipped?output.skip(skippedBytes(frame)):frame.kind!==frameKinds.started&&await taking?.take(frame)},call={header:()=>({call:`execute`,id,forgets,argv:argvOf(command.execute),cwd:within,env:variablesOf({...config,added:command.env,proxy,identity}),keepsHome,timeoutMs,maxWrittenBytes:268435456,maxDiskBytes:config.limits.diskBytes,inputBytes:input.length,offset:output.total,headBytes:halfBytes,tailBytes:halfBytes,isFollowed:command.onOutput!==void 0,copy:taking?.copy??null}),begin:()=>taking?.begin(),body:async function*(){input.length>0&&(yield input)},take,signal:AbortSignal.any([signal,late.signal])},isDone=new AbortController;clock.sleep(timeoutMs+awayMs+3e4,AbortSignal.any([signal,isDone.signal])).then(()=>late.abort(new PodLostError(`The pod does not end a command whose time is over.`))).catch(()=>{});try{let answer=await callPod(place,call);if(answer.ok!==!0||!isObject(answer.end))throw new PodLostError(`The container of the pod has started anew: the command is lost.`);this.#ended.push(id);let result=endOf$1(answer.end,output);return taking===null?result:withinDisk(result,await taking.end(isObject(answer.copied)?answer.copied:{}))}catch(cause){throw signal.aborted&&await this.#stop(place,id),cause}finally{isDone.abort(WOKEN)}}async#stop(place,id){await this.#orLose(async signal=>{await callPod(place,{header:()=>({call:`stop`,id}),signal}),this.#ended.push(id)})}async#keepLast(place){this.#lost!==null||this.#isClosed||!this.#tree.isThere||await this.#orLose(async signal=>{await this.#inTurn(signal,()=>this.#tree.takeBack(place,signal))})}async#orLose(work){try{await work(AbortSignal.timeout(1e4))}catch(cause){this.#lose(cause instanceof Error?cause:Error(`The command could not be stopped.`))}}};function withinDisk(result,isWithin){return isWithin?result:{...result,exitCode:null,signal:`SIGKILL`,limit:`disk`}}function skippedBytes({content}){let bytes=Number(content.toString(`latin1`));if(!Number.isSafeInteger(bytes)||bytes<0)throw new FrameError(`The pod answered with something else than frames.`);return bytes}const FOLDER=`/workspace`;async function kubernetesSandbox(parts){let{config,cluster,clock,random,log,awayMs=6e4,pingMs=1e4}=parts,claims=await openClaims(parts,new ClusterClient(cluster)),podParts={claims:async()=>claims,config,awayMs,pingMs,runLimitMs:39e5,clock,log},known=new Map,pods=new Map,names=new Set,refusal=null,nameOf=runId=>{let name=claimName(runId);for(let next=2;names.has(name);next+=1)name=claimName(runId,`-${next}`);return names.add(name),name},randomName=()=>Buffer.from(random.bytes(8)).toString(`hex`),leave=async run=>{let{root}=run,of=known.get(root);if(of?.runs.delete(run)!==!0||of.runs.size>0)return;let pod=pods.get(root);pods.delete(root),known.delete(root),await pod?.close(),names.delete(of.name)},podOf=checkout=>{let{root}=checkout,of=known.get(root);if(of===void 0)return null;let onLost=why=>{for(let run of of.runs)run.onLost(why)},made=pods.get(root)??new RunPod(podParts,{name:of.name,checkout,onLost});return pods.set(root,made),made};return{kind:`kubernetes`,places:{enter(run){let of=known.get(run.root)??{name:nameOf(run.runId),runs:new Set};return of.runs.add(run),known.set(run.root,of),()=>leave(run)}},agents:{tree:`${FOLDER}/tree`,home:`${FOLDER}/${AGENT_HOME}`,isProxied:config.network===`off`,async start(agent){let{checkout:root,gitFolder,covered}=agent,pod=podOf({root,gitFolder,covered,isTrusted:!1});if(pod===null)throw TypeError(`A coding agent works in the place of a run.`);try{return await pod.startAgent(agent)}catch(cause){throw cause instanceof NoPodError?(log.warn({err:cause},`no pod could be had for the coding agent of a run`),new NoPlaceError(cause.message,{cause})):cause}}},async archive(checkout,signal){let pod=podOf(checkout);if(pod===null)return refused({reason:`shell_refused`,detail:`What is of no run has a pod that does not stay.`});try{return ok(await pod.archive(signal))}catch(cause){if(!(cause instanceof NoPodError))throw cause;return refused({reason:`shell_refused`,detail:cause.message})}},async facts(){let{timeoutMs,memoryBytes,diskBytes}=config.limits;return{tree:`${FOLDER}/tree`,home:`${FOLDER}/home`,hasNetwork:config.network===`allowed`,hasJobsCaches:!1,timeoutMs,memoryBytes,diskBytes,tools:[]}},async run(checkout,command){let folder=await prepareCommand(checkout,command);if(!folder.ok)return folder;let{within}=folder.value;if(refusal!==null&&clock.monotonic()<refusal.until)return refused({reason:`shell_refused`,detail:refusal.detail});let own=podOf(checkout),name=own===null?nameOf(randomName()):``,pod=own??new RunPod(podParts,{name,checkout,onLost:()=>{}});try{let result=await pod.run({command,within,keepsHome:checkout.home!==void 0});return refusal=null,ok(result)}catch(cause){if(!(cause instanceof NoPodError))throw cause;return log.warn({err:cause,checkout:basename(dirname(checkout.root))},`no pod could be had for a run`),refusal={until:clock.monotonic()+6e4,detail:cause.message},refused({reason:`shell_refused`,detail:cause.message})}finally{own===null&&(await pod.close(),names.delete(name))}},async start({checkout,isTreeShown},program){let shared=isTreeShown?podOf(checkout):null,[run]=known.get(checkout.root)?.runs??[],name=shared===null?nameOf(run?.runId??randomName()):``,pod=shared??new RunPod(podParts,{name,checkout,onLost:()=>{}}),clean=async()=>{shared===null&&(await pod.close(),names.delete(name))};try{return ok(await pod.start(program,{isTreeShown,clean}))}catch(cause){if(!(cause instanceof NoPodError))throw cause;return log.warn({err:cause},`no pod could be had for a program of a run`),refused({reason:`shell_refused`,detail:cause.message})}}}}async function openClaims({cluster,clock,log},client){let{pool,waitMs}=cluster;try{let namespace=await client.namespace();return await tryClaims(client,{namespace,log}),{client,clock,namespace,pool,waitMs}}catch(cause){if(!(cause instanceof ClusterError))throw cause;let text=`SANDBOX is kubernetes: ${[cause.message,...hintOf(cause)].join(` `)}`;throw new SandboxError(`sandbox_not_started`,text,{cause})}}async function tryClaims(client,{namespace,log}){let signal=AbortSignal.timeout(5e3);try{await readObject({client,collection:claimsOf(namespace),name:`agent-service-starts`,signal,missing:isOfKnownKind})}catch(cause){if(!(signal.aborted||cause instanceof ClusterError&&cause.isAway))throw cause;log.warn({err:cause},`The API server of Kubernetes does not answer: no run gets a pod until it does.`)}}function hintOf({status}){return status===404?[`Install agent-sandbox with its extensions, and set SANDBOX_KUBERNETES_NAMESPACE to its pool's.`]:status===403?[`deploy/sandbox-pods.yaml has the rights that its service account needs.`]:[]}function isOfKnownKind({message}){return message.includes(`sandboxclaims`)}export{kubernetesSandbox};