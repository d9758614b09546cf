//! The functions of NVIDIA's driver that are needed, found when they are: `libcuda.so.1` comes with the
//! driver.
//!
//! All that is unsafe about a GPU is here. A [`Buffer`] belongs to the context that made it, is freed once,
//! and checks the bounds of what is copied; a [`Function`] can't outlive its module.

#![expect(unsafe_code, reason = "the driver is a C library; each call says why it is sound")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use crate::Failure;

type Handle = *mut c_void;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions of the driver, which is never unloaded.
        pub(super) struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Functions, Failure> {
                Ok(Functions {
                    // SAFETY: the types are those of cuda.h, and a pointer to a function is one.
                    $($name: unsafe {
                        std::mem::transmute::<Handle, unsafe extern "C" fn($($argument),*) -> c_int>(
                            library.find($symbol)?,
                        )
                    },)*
                })
            }
        }
    };
}

functions! {
    init = c"cuInit" (c_uint);
    device_get = c"cuDeviceGet" (*mut c_int, c_int);
    device_name = c"cuDeviceGetName" (*mut c_char, c_int, c_int);
    device_attribute = c"cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
    retain = c"cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    set_current = c"cuCtxSetCurrent" (Handle);
    synchronize = c"cuCtxSynchronize" ();
    memory_info = c"cuMemGetInfo_v2" (*mut usize, *mut usize);
    allocate = c"cuMemAlloc_v2" (*mut u64, usize);
    free = c"cuMemFree_v2" (u64);
    fill = c"cuMemsetD8_v2" (u64, u8, usize);
    to_device = c"cuMemcpyHtoD_v2" (u64, *const c_void, usize);
    to_host = c"cuMemcpyDtoH_v2" (*mut c_void, u64, usize);
    on_device = c"cuMemcpyDtoD_v2" (u64, u64, usize);
    load_module = c"cuModuleLoadData" (*mut Handle, *const c_void);
    unload_module = c"cuModuleUnload" (Handle);
    get_function = c"cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    launch = c"cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
        *mut *mut c_void, *mut *mut c_void
    );
    error_string = c"cuGetErrorString" (c_int, *mut *const c_char);
}

/// The driver's name, as its package installs it.
const LIBRARY: &CStr = c"libcuda.so.1";

const OUT_OF_MEMORY: c_int = 2;
const MULTIPROCESSORS: c_int = 16;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;

/// The driver's library.
struct Library(Handle);

#[cfg(target_os = "linux")]
impl Library {
    fn open() -> Result<Library, Failure> {
        // SAFETY: the name ends with a 0; any program may load the driver.
        let library = unsafe { dlopen(LIBRARY.as_ptr(), LOAD_NOW) };
        if library.is_null() {
            return Err(Failure::NoDriver(format!("there is no {}", LIBRARY.to_string_lossy())));
        }
        Ok(Library(library))
    }

    fn find(&self, name: &CStr) -> Result<Handle, Failure> {
        // SAFETY: the library was loaded, and the name ends with a 0.
        let function = unsafe { dlsym(self.0, name.as_ptr()) };
        if function.is_null() {
            return Err(Failure::NoDriver(format!("it is too old, and lacks {}", name.to_string_lossy())));
        }
        Ok(function)
    }
}

#[cfg(target_os = "linux")]
const LOAD_NOW: c_int = 2;

#[cfg(target_os = "linux")]
// SAFETY: POSIX declares them so; they are part of the C library, which the standard library needs anyway.
unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> Handle;
    fn dlsym(library: Handle, name: *const c_char) -> Handle;
}

#[cfg(not(target_os = "linux"))]
impl Library {
    fn open() -> Result<Library, Failure> {
        Err(Failure::NoDriver("it is looked for on Linux alone".to_owned()))
    }

    fn find(&self, _: &CStr) -> Result<Handle, Failure> {
        Library::open().map(|library| library.0)
    }
}

/// A GPU, made current for the thread that has opened it. It stays open until the program ends: what belongs
/// to it is freed, but to open it again would take a part of a second.
pub(super) struct Context {
    functions: Functions,
    pub(super) name: String,
    pub(super) multiprocessors: u32,
    pub(super) capability: (i32, i32),
}

impl Functions {
    fn check(&self, call: &'static str, status: c_int) -> Result<(), Failure> {
        match status {
            0 => Ok(()),
            OUT_OF_MEMORY => Err(Failure::Full),
            _ => {
                let mut text = ptr::null();
                // SAFETY: the text is one of the driver's own, which ends with a 0 and stays.
                let reason = unsafe {
                    (self.error_string)(status, &raw mut text);
                    if text.is_null() {
                        None
                    } else {
                        Some(CStr::from_ptr(text).to_string_lossy().into_owned())
                    }
                };
                let reason = reason.unwrap_or_else(|| format!("error {status}"));
                Err(Failure::Driver { call, reason })
            }
        }
    }
}

impl Context {
    /// Finds the first GPU, without opening it.
    pub(super) fn find() -> Result<(Functions, c_int), Failure> {
        let functions = Functions::load(&Library::open()?)?;
        let mut device = 0;
        // SAFETY: the pointer is to a variable of the type that the function writes.
        unsafe {
            functions.check("cuInit", (functions.init)(0)).map_err(no_device)?;
            functions.check("cuDeviceGet", (functions.device_get)(&raw mut device, 0)).map_err(no_device)?;
        }
        Ok((functions, device))
    }

    /// Opens the first GPU.
    pub(super) fn open() -> Result<Rc<Context>, Failure> {
        let (functions, device) = Context::find()?;
        // SAFETY: every pointer is to a variable of the type that the function writes; the name has room for
        // as many bytes as is said, and ends with a 0.
        unsafe {
            let mut name = [0_u8; 256];
            let status = (functions.device_name)(name.as_mut_ptr().cast(), 255, device);
            functions.check("cuDeviceGetName", status)?;
            let attribute = |which| {
                let mut value = 0;
                let status = (functions.device_attribute)(&raw mut value, which, device);
                functions.check("cuDeviceGetAttribute", status).map(|()| value)
            };
            let multiprocessors = attribute(MULTIPROCESSORS)?.max(1) as u32;
            let capability = (attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?);
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
            let mut handle = ptr::null_mut();
            functions.check("cuDevicePrimaryCtxRetain", (functions.retain)(&raw mut handle, device))?;
            let context = Context { functions, name, multiprocessors, capability };
            context.check("cuCtxSetCurrent", (context.functions.set_current)(handle))?;
            Ok(Rc::new(context))
        }
    }

    fn check(&self, call: &'static str, status: c_int) -> Result<(), Failure> {
        self.functions.check(call, status)
    }

    /// Returns how many bytes are free.
    pub(super) fn free_memory(&self) -> Result<u64, Failure> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to variables.
        let status = unsafe { (self.functions.memory_info)(&raw mut free, &raw mut total) };
        self.check("cuMemGetInfo", status).map(|()| free as u64)
    }

    /// Waits until all that was begun is done.
    pub(super) fn synchronize(&self) -> Result<(), Failure> {
        // SAFETY: it has no arguments.
        self.check("cuCtxSynchronize", unsafe { (self.functions.synchronize)() })
    }
}

fn no_device(failure: Failure) -> Failure {
    match failure {
        Failure::Driver { reason, .. } => Failure::NoDevice(reason),
        other => other,
    }
}

/// Values without padding or pointers, which the device reads as they are.
///
/// # Safety
///
/// All of its bytes are initialised, and any bytes are a value of it.
pub(super) unsafe trait Plain: Copy {}
// SAFETY: integers are plain.
unsafe impl Plain for u32 {}
// SAFETY: likewise.
unsafe impl Plain for u64 {}

/// Memory of the device.
pub(super) struct Buffer {
    context: Rc<Context>,
    address: u64,
    bytes: usize,
}

impl Buffer {
    /// Takes so many bytes, of any content.
    pub(super) fn new(context: &Rc<Context>, bytes: usize) -> Result<Buffer, Failure> {
        let (mut address, bytes) = (0, bytes.max(16));
        // SAFETY: the pointer is to a variable.
        let status = unsafe { (context.functions.allocate)(&raw mut address, bytes) };
        context.check("cuMemAlloc", status)?;
        Ok(Buffer { context: Rc::clone(context), address, bytes })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// Sets all bytes.
    pub(super) fn fill(&self, value: u8) -> Result<(), Failure> {
        self.fill_first(value, self.bytes)
    }

    /// Sets the first bytes.
    pub(super) fn fill_first(&self, value: u8, bytes: usize) -> Result<(), Failure> {
        assert!(bytes <= self.bytes, "it is as large");
        // SAFETY: the buffer has so many bytes.
        let status = unsafe { (self.context.functions.fill)(self.address, value, bytes) };
        self.context.check("cuMemsetD8", status)
    }

    /// Writes values at the beginning.
    pub(super) fn write<T: Plain>(&self, values: &[T]) -> Result<(), Failure> {
        self.write_at(0, values)
    }

    /// Writes values from a byte on.
    pub(super) fn write_at<T: Plain>(&self, offset: usize, values: &[T]) -> Result<(), Failure> {
        let bytes = size_of_val(values);
        assert!(offset + bytes <= self.bytes, "there is room");
        let address = self.address + offset as u64;
        // SAFETY: both sides have so many bytes, and the values are plain.
        let status = unsafe { (self.context.functions.to_device)(address, values.as_ptr().cast(), bytes) };
        self.context.check("cuMemcpyHtoD", status)
    }

    /// Reads values from a byte on.
    pub(super) fn read<T: Plain>(&self, offset: usize, values: &mut [T]) -> Result<(), Failure> {
        let bytes = size_of_val(values);
        assert!(offset + bytes <= self.bytes, "they are there");
        // SAFETY: both sides have so many bytes, and any bytes are values.
        let status = unsafe {
            (self.context.functions.to_host)(values.as_mut_ptr().cast(), self.address + offset as u64, bytes)
        };
        self.context.check("cuMemcpyDtoH", status)
    }

    /// Copies the first bytes of another buffer.
    pub(super) fn copy(&self, other: &Buffer, bytes: usize) -> Result<(), Failure> {
        assert!(bytes <= self.bytes.min(other.bytes), "both are as large");
        // SAFETY: both have so many bytes, and are not the same.
        let status = unsafe { (self.context.functions.on_device)(self.address, other.address, bytes) };
        self.context.check("cuMemcpyDtoD", status)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it was allocated once, and is freed once.
        unsafe { (self.context.functions.free)(self.address) };
    }
}

/// Kernels that were compiled.
pub(super) struct Module {
    context: Rc<Context>,
    handle: Handle,
}

impl Module {
    /// Lets the driver compile PTX.
    pub(super) fn new(context: &Rc<Context>, text: &str) -> Result<Rc<Module>, Failure> {
        let text = CString::new(text).unwrap_or_default();
        let mut handle = ptr::null_mut();
        // SAFETY: the text ends with a 0.
        let status = unsafe { (context.functions.load_module)(&raw mut handle, text.as_ptr().cast()) };
        context.check("cuModuleLoadData", status)?;
        Ok(Rc::new(Module { context: Rc::clone(context), handle }))
    }

    /// Finds a kernel.
    pub(super) fn function(self: &Rc<Module>, name: &CStr) -> Result<Function, Failure> {
        let mut handle = ptr::null_mut();
        // SAFETY: the module is loaded.
        let status =
            unsafe { (self.context.functions.get_function)(&raw mut handle, self.handle, name.as_ptr()) };
        self.context.check("cuModuleGetFunction", status)?;
        Ok(Function { module: Rc::clone(self), handle })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: it was loaded once; functions keep it alive.
        unsafe { (self.context.functions.unload_module)(self.handle) };
    }
}

/// A kernel.
pub(super) struct Function {
    module: Rc<Module>,
    handle: Handle,
}

impl Function {
    /// Runs the kernel in blocks of so many threads, and waits for it. Each argument is the words of a
    /// parameter.
    ///
    /// # Safety
    ///
    /// The arguments are those of the kernel, in number, size and order, and what they point to is large
    /// enough.
    pub(super) unsafe fn run(
        &self,
        blocks: u32,
        threads: u32,
        arguments: &mut [&mut [u64]],
    ) -> Result<(), Failure> {
        let mut pointers: Vec<*mut c_void> =
            arguments.iter_mut().map(|words| words.as_mut_ptr().cast()).collect();
        let context = &self.module.context;
        // SAFETY: as the caller promises; the driver copies the arguments before it returns.
        let status = unsafe {
            (context.functions.launch)(
                self.handle,
                blocks.max(1),
                1,
                1,
                threads,
                1,
                1,
                0,
                ptr::null_mut(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        context.check("cuLaunchKernel", status)?;
        context.synchronize()
    }
}
